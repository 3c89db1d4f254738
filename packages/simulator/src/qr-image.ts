import { convertIndexedToRgb, type DecodedPng, decode } from 'fast-png';
import decodeQR from 'qr/decode.js';
import { SimulatorError } from './errors.ts';

const PNG_PREFIX = 'data:image/png;base64,';

/** The text of a QR: as it is, or read from a PNG data URL as a phone's camera would. */
export function readQr(qr: string): string {
  if (!qr.startsWith('data:')) return qr;
  if (!qr.startsWith(PNG_PREFIX)) throw new SimulatorError(400, 'qr: a picture must be a PNG data URL');
  try {
    const png = decode(Buffer.from(qr.slice(PNG_PREFIX.length), 'base64'));
    return decodeQR(
      { width: png.width, height: png.height, data: toRgba(png) },
      { effort: Number.POSITIVE_INFINITY, timeLimit: 2000 },
    );
  } catch {
    throw new SimulatorError(400, 'qr: the picture shows no QR that can be read');
  }
}

/** PNGs come as palette, grey or colour, with 1 to 16 bits and with or without transparency. */
function toRgba(png: DecodedPng): Uint8Array {
  const { channels, samples, maximum } = samplesOf(png);
  const pixels = new Uint8Array(png.width * png.height * 4);
  for (let pixel = 0; pixel < png.width * png.height; pixel += 1) {
    const at = (channel: number) => Math.round(((samples[pixel * channels + channel] ?? 0) * 255) / maximum);
    const alpha = channels === 2 ? at(1) : channels === 4 ? at(3) : 255;
    const colour = channels < 3 ? [at(0), at(0), at(0)] : [at(0), at(1), at(2)];
    // Transparent pixels count as white.
    pixels.set([...colour.map((value) => 255 - ((255 - value) * alpha) / 255), 255], pixel * 4);
  }
  return pixels;
}

interface Samples {
  readonly channels: number;
  readonly samples: ArrayLike<number>;
  readonly maximum: number;
}

function samplesOf(png: DecodedPng): Samples {
  if (png.palette) {
    const samples = convertIndexedToRgb(png);
    return { channels: samples.length / (png.width * png.height), samples, maximum: 255 };
  }
  if (png.depth < 8) return { channels: 1, samples: unpack(png), maximum: 2 ** png.depth - 1 };
  return { channels: png.channels, samples: png.data, maximum: 2 ** png.depth - 1 };
}

/** Grey samples of less than a byte, of which several share one; each row begins with a new byte. */
function unpack({ data, width, height, depth }: DecodedPng): Uint8Array {
  const rowBytes = Math.ceil((width * depth) / 8);
  return Uint8Array.from({ length: width * height }, (_, index) => {
    const bit = (index % width) * depth;
    const byte = data[Math.floor(index / width) * rowBytes + (bit >> 3)] ?? 0;
    return (byte >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
  });
}
