import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/**
 * The path of a program's code cache: next to it, so that writing either needs the same permission. V8 checks the version
 * and the flags that a cache was made with, but not the processor, nor what a release of Node changed in V8.
 */
export function cacheOf(path: string): string {
  return `${path}.${process.version}-${process.arch}.cache`;
}

/** A program in one CommonJS file, in ASCII. */
export interface Program {
  /** The code cache of everything compiled until now. */
  cache(): Uint8Array;
  run(): unknown;
}

/**
 * Reads a program. With the code cache next to it, V8 has nothing to parse or compile. A missing cache, or one from
 * another version or other flags of V8, is ignored.
 */
export function readProgram(path: string): Program {
  // ASCII takes one byte per character in memory, and needs no decoding.
  const source = readFileSync(path, 'latin1');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: path,
    cachedData: readCache(cacheOf(path)),
  });
  return {
    cache: () => script.createCachedData(),
    run: () => {
      const module = { exports: {} };
      script.runInThisContext()(module.exports, createRequire(path), module, path, dirname(path));
      return module.exports;
    },
  };
}

export function loadProgram(path: string): unknown {
  return readProgram(path).run();
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
