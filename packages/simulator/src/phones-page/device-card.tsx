import type { LinkedDevice } from '../api.ts';
import { showFull, showWhen } from './format.ts';

interface DeviceCardProps {
  readonly device: LinkedDevice;
  readonly isBusy: boolean;
  onUnlink(): void;
}

/** A linked device, which can be unlinked. */
export function DeviceCard({ device, isBusy, onUnlink }: DeviceCardProps) {
  const { id, linkedAt, online } = device;
  const at = new Date(linkedAt);
  const title = `Device ${id.slice(0, 4)}`;
  return (
    <article class="card" aria-label={title}>
      <div>
        <h4>{title}</h4>
        <p>
          {online ? 'Online' : 'Offline'}, linked since{' '}
          <time dateTime={linkedAt} title={showFull(at)}>
            {showWhen(at)}
          </time>
        </p>
      </div>
      <button type="button" class="quiet" aria-disabled={isBusy} onClick={onUnlink}>
        Unlink<span class="unseen"> device {id.slice(0, 4)}</span>
      </button>
    </article>
  );
}
