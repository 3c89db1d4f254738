import { existsSync, readFileSync } from 'node:fs';
import { HARDENED } from '@chat-web/testing';
import { describe, expect, it } from 'vitest';

const DEFAULT_PROFILE = '/usr/share/containers/seccomp.json';
const FOLDER = new URL('../deploy/oci/', import.meta.url);
const text = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8');

interface Profile {
  readonly defaultAction: string;
  readonly syscalls: readonly {
    readonly names: readonly string[];
    readonly action: string;
    readonly args?: readonly unknown[] | null;
    readonly includes?: { readonly caps?: readonly string[] };
  }[];
}

/** The system calls that a profile allows to a process without capabilities, whatever their arguments. */
function allowedBy(profile: string): string[] {
  const { defaultAction, syscalls } = JSON.parse(profile) as Profile;
  expect(defaultAction).toBe('SCMP_ACT_ERRNO');
  const rules = syscalls.filter(({ args, includes }) => !args?.length && !includes?.caps);
  return rules.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);
}

describe('the seccomp profile of the image', () => {
  const allowed = allowedBy(text('seccomp.json'));

  it("allows what Chromium's sandbox needs, and nothing that only an exploit would call", () => {
    expect(allowed).toEqual(expect.arrayContaining(['chroot', 'clone', 'clone3', 'unshare', 'seccomp']));
    for (const call of ['mount', 'pivot_root', 'setns', 'keyctl', 'ptrace', 'process_vm_readv', 'bpf', 'userfaultfd'])
      expect(allowed).not.toContain(call);
    expect(allowed.filter((call) => call.startsWith('io_uring'))).toEqual([]);
  });

  it.runIf(existsSync(DEFAULT_PROFILE))('allows only chroot beyond the default profile of engines', () => {
    const byDefault = new Set(allowedBy(readFileSync(DEFAULT_PROFILE, 'utf8')));
    byDefault.add('socket'); // Allowed there by its arguments.
    expect(allowed.filter((call) => !byDefault.has(call))).toEqual(['chroot']);
  });
});

it('compose.yaml has what the story of the image runs it with', () => {
  const compose = text('compose.yaml');
  const [tmpfs = ''] = HARDENED.filter((option) => option.startsWith('--tmpfs='));
  for (const line of [
    'read_only: true',
    `tmpfs: ["${tmpfs.slice('--tmpfs='.length)}"]`,
    'cap_drop: [ALL]',
    'security_opt: ["no-new-privileges:true", "seccomp:seccomp.json"]',
    'shm_size: 64mb',
    'stop_grace_period: 45s',
    `pids_limit: ${150 * 50 + 200}`,
  ])
    expect(compose).toContain(`\n    ${line}\n`);
  expect(compose).not.toMatch(/privileged: true|cap_add|SYS_ADMIN/);
});
