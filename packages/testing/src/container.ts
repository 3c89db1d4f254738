import { spawnSync } from 'node:child_process';
import type { Ended } from './systemd.ts';

/** A path in this checkout, or a volume, and where it is in the container. */
export type Mount = readonly [source: string, target: string];

/** How a container is run, besides the options of `HARDENED`. */
export interface ContainerOptions {
  readonly image: string;
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  /** Further options of `podman run`. */
  readonly options?: readonly string[];
}

/** What deploy/oci/compose.yaml sets, except for the limits, which need cgroups, and its profile. */
export const HARDENED = [
  '--read-only',
  '--tmpfs=/tmp:size=256m,mode=1777,noexec,nosuid,nodev',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
  '--shm-size=64m',
];

/** In the network of this machine; podman's health checks need systemd. */
export const HOST_NETWORK = ['--network=host', '--no-healthcheck'];

/** Runs podman to its end. */
export function podman(...args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync('podman', args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The same; throws if it fails. Returns what it prints on stdout. */
export function requirePodman(...args: readonly string[]): string {
  const { status, stdout, stderr } = podman(...args);
  if (status !== 0) throw new Error(`podman ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
  return stdout.trim();
}

/** A container in the network of this machine. */
export class Container implements Disposable {
  readonly name: string;

  /** Starts it in the background. */
  constructor({ image, name, env = {}, mounts = [], options = [] }: ContainerOptions) {
    this.name = name;
    const variables = Object.entries(env).map(([key, value]) => `--env=${key}=${value}`);
    const volumes = mounts.map(([source, target]) => `--volume=${source}:${target}`);
    const all = [...HOST_NETWORK, `--name=${name}`, ...variables, ...volumes, ...options];
    requirePodman('run', '--detach', ...all, image);
  }

  /** Runs a program inside. */
  exec(...command: readonly string[]): Ended {
    return podman('exec', this.name, ...command);
  }

  get logs(): string {
    const { stdout, stderr } = podman('logs', this.name);
    return stdout + stderr;
  }

  /** The process id of its first process, outside. */
  get pid(): number {
    return Number(requirePodman('inspect', '--format={{.State.Pid}}', this.name));
  }

  signal(name: string): void {
    requirePodman('kill', `--signal=${name}`, this.name);
  }

  /** Waits until it has ended. Returns its exit code. */
  end(): number {
    return Number(requirePodman('wait', this.name));
  }

  [Symbol.dispose](): void {
    podman('rm', '--force', '--time=0', this.name);
  }
}
