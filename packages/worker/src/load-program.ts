import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** Where the code cache of a program is: beside it, so that whoever can write one of them can write the other. */
export function cacheOf(path: string): string {
  return `${path}.cache`;
}

/** A program in one CommonJS file, in ASCII. */
export interface Program {
  /** The code cache of all that was compiled until now. */
  cache(): Uint8Array;
  /** Runs the program, and returns its exports. */
  run(): unknown;
}

/**
 * Reads a program. With the code cache beside it, V8 has nothing to parse or compile; a cache that another version or
 * other flags of V8 have made is ignored, as is a missing one.
 */
export function readProgram(path: string): Program {
  // ASCII: in memory a byte for each character, and read without decoding.
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

/** Runs a program, and returns its exports. */
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
