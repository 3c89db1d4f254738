import { pathToFileURL } from 'node:url';

/** True in the module that Node was started with: a benchmark prints its figures then, and only exports them otherwise. */
export function isMain(moduleUrl: string): boolean {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(process.argv[1]).href;
}
