import { bytesText, fullTime } from '../../parts/words.ts';
import type { Host } from './host-charts.tsx';

/** Properties of the host and the gateway. */
export function HostFacts({ of }: { readonly of: Host }) {
  const { version, startedAt, memoryTotalBytes, diskTotalBytes, journalMaxBytes } = of;
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Limits</h2>
      <dl class="facts">
        <dt>Gateway</dt>
        <dd>
          version {version}, started {fullTime(Date.parse(startedAt))}
        </dd>
        <dt>Memory</dt>
        <dd>{bytesText(memoryTotalBytes)}</dd>
        <dt>Disk of the data folder</dt>
        <dd>{diskTotalBytes === undefined ? 'could not be read' : bytesText(diskTotalBytes)}</dd>
        <dt>Journal</dt>
        <dd>at most {bytesText(journalMaxBytes)} (CHAT_WEB_JOURNAL_MAX_MB)</dd>
      </dl>
    </section>
  );
}
