import type { Target } from 'puppeteer';

/**
 * A filter of targets that keeps them all, and tells when the page among them crashes. It sees the page before anybody
 * can have it in hand: of one that dies meanwhile the browser says nothing, and the calls that set it up never end.
 */
export function tellOfCrash(onCrash: () => void): (target: Target) => boolean {
  return (target) => {
    // A target that is gone by now is told of elsewhere.
    if (target.type() === 'page') watch(target, onCrash).catch(() => {});
    return true;
  };
}

async function watch(target: Target, onCrash: () => void): Promise<void> {
  const session = await target.createCDPSession();
  session.on('Inspector.targetCrashed', onCrash);
  await session.send('Inspector.enable'); // From here on it is told, also if it has happened already.
}
