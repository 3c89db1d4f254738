import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { encode as encodePng } from 'fast-png';

export interface Sample {
  readonly type: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  readonly mimeType: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
  /** The page re-encodes the file before it sends it: the download may differ. */
  readonly isReencoded: boolean;
}

const MARK_BYTES = 16;

/**
 * A playable file of each kind, different in each run: for a file that it has seen, a page answers from its cache, and
 * nothing would be downloaded.
 */
export function makeSamples(): Sample[] {
  return [
    { type: 'image', mimeType: 'image/png', filename: 'doctor.png', bytes: image(), isReencoded: true },
    { type: 'video', mimeType: 'video/mp4', filename: 'doctor.mp4', bytes: video(), isReencoded: true },
    { type: 'audio', mimeType: 'audio/mpeg', filename: 'doctor.mp3', bytes: sound(), isReencoded: true },
    { type: 'document', mimeType: 'text/plain', filename: 'doctor.txt', bytes: document(), isReencoded: false },
    { type: 'sticker', mimeType: 'image/webp', filename: 'doctor.webp', bytes: sticker(), isReencoded: true },
  ];
}

function image(): Uint8Array {
  const [side, squares] = [320, 8];
  const colours = randomBytes(squares * squares * 3);
  const data = new Uint8Array(side * side * 3);
  for (let at = 0; at < side * side; at += 1) {
    const [column, row] = [at % side, Math.floor(at / side)].map((pixel) => Math.floor((pixel * squares) / side));
    const from = ((row ?? 0) * squares + (column ?? 0)) * 3;
    data.set(colours.subarray(from, from + 3), at * 3);
  }
  return encodePng({ width: side, height: side, data, channels: 3 });
}

/** A second of one colour, H.264 and AAC, with a box at the end that players ignore. */
function video(): Uint8Array {
  return Buffer.concat([sampleFile('video.mp4'), box('free', randomBytes(MARK_BYTES))]);
}

function box(name: string, content: Uint8Array): Uint8Array {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length, 0);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
}

/** A second of a tone, with an ID3v1 tag. */
function sound(): Uint8Array {
  const tag = Buffer.alloc(128);
  tag.write(`TAG${randomBytes(MARK_BYTES / 2).toString('hex')}`, 'latin1');
  return Buffer.concat([sampleFile('sound.mp3'), tag]);
}

function document(): Uint8Array {
  const lines = Array.from({ length: 300 }, () => randomBytes(32).toString('hex'));
  return Buffer.from(`chat-web doctor: a test document\n${lines.join('\n')}\n`);
}

/** 512 by 512 pixels of one colour, with a chunk at the end that readers ignore. */
function sticker(): Uint8Array {
  const mark = Buffer.alloc(8);
  mark.write('DOCT', 'latin1');
  mark.writeUInt32LE(MARK_BYTES, 4);
  const file = Buffer.concat([sampleFile('sticker.webp'), mark, randomBytes(MARK_BYTES)]);
  file.writeUInt32LE(file.length - 8, 4); // The size of everything that follows.
  return file;
}

function sampleFile(name: string): Uint8Array {
  return readFileSync(new URL(import.meta.resolve(`#doctor/samples/${name}`)));
}
