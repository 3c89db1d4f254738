export { filePosition } from './node/file-position.ts';
