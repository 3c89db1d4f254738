import type { Target } from 'puppeteer';

/**
 * A filter of targets that accepts all, and reports a crash of the page. It attaches before puppeteer hands the page
 * out: if the page crashes until then, the browser reports nothing, and puppeteer's calls that set it up never return.
 */
export function crashWatch(onCrash: () => void): (target: Target) => boolean {
  return (target) => {
    // A target that is closed by now is reported by other events.
    if (target.type() === 'page') watch(target, onCrash).catch(() => {});
    return true;
  };
}

async function watch(target: Target, onCrash: () => void): Promise<void> {
  const session = await target.createCDPSession();
  session.on('Inspector.targetCrashed', onCrash);
  await session.send('Inspector.enable'); // Also reports a crash that has happened already.
}
