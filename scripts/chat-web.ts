#!/usr/bin/env node

/** The command `chat-web` of an installation: starts a gateway, or runs a tool. */

const EX_USAGE = 2;

const TOOLS: Readonly<Record<string, { readonly does: string; run(): Promise<unknown> }>> = {
  doctor: { does: 'check this machine, the page and an account', run: () => import('./doctor/main.ts') },
  token: { does: 'create a token and its hash', run: () => import('./token.ts') },
  link: { does: "link an account on its owner's computer", run: () => import('./link/main.ts') },
  move: { does: 'move a session to another gateway', run: () => import('./move/main.ts') },
  journal: { does: 'inspect the journal of events', run: () => import('./journal.ts') },
  cluster: { does: 'prepare a cluster of several hosts', run: () => import('./cluster.ts') },
  simulator: { does: 'simulate web.whatsapp.com and its phones', run: () => import('@chat-web/simulator/main') },
};

const USAGE = `Usage: chat-web [command]

Without a command, starts a gateway. Commands; each has --help:
${Object.entries(TOOLS)
  .map(([name, { does }]) => `  ${name.padEnd(10)} ${does}\n`)
  .join('')}`;

const [name] = process.argv.slice(2);
const tool = name !== undefined && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
if (tool) {
  process.argv.splice(2, 1);
  await tool.run();
} else if (name === undefined || name.startsWith('-')) {
  if (name === '--help' || name === '-h') process.stdout.write(`${USAGE}\n`);
  await import(import.meta.resolve('#gateway/main.js'));
} else {
  process.stderr.write(`there is no command ${name}\n\n${USAGE}`);
  process.exitCode = EX_USAGE;
}
