import { deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Colours of an image with a palette. */
const COLOURS = 256;

/** An image without compression: three bytes for each pixel. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

/**
 * Makes a PNG of a quarter of the size of a screenshot: with a palette of the 256 colours that matter most. Screens have few colours, and
 * shades at the edges of letters.
 */
export function reduceColours(png: Buffer): Buffer {
  const pixels = decode(png);
  const { palette, indices } = quantize(pixels);
  return encode(pixels, palette, indices);
}

function* chunksOf(png: Buffer): Generator<{ readonly type: string; readonly data: Buffer }> {
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += length + 12;
  }
}

function decode(png: Buffer): Pixels {
  const chunks = [...chunksOf(png)];
  const header = chunks[0].data;
  const [width, height, depth, type] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]];
  const size = { 2: 3, 6: 4 }[type];
  if (depth !== 8 || size === undefined)
    throw new Error(`Screenshots have 8 bits and true colours, not ${depth} and ${type}.`);
  const data = inflateSync(Buffer.concat(chunks.filter((chunk) => chunk.type === 'IDAT').map((chunk) => chunk.data)));
  const line = width * size;
  const bytes = new Uint8Array(width * height * 3);
  let previous = new Uint8Array(line);
  for (let y = 0; y < height; y++) {
    const from = y * (line + 1);
    const row = unfilter(data[from], data.subarray(from + 1, from + 1 + line), previous, size);
    for (let x = 0; x < width; x++) bytes.set(row.subarray(x * size, x * size + 3), (y * width + x) * 3);
    previous = row;
  }
  return { width, height, bytes };
}

function unfilter(filter: number, row: Uint8Array, previous: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(row.length);
  for (let x = 0; x < row.length; x++) {
    const left = x < size ? 0 : result[x - size];
    const up = previous[x];
    const upLeft = x < size ? 0 : previous[x - size];
    const predicted = [0, left, up, (left + up) >> 1, predictPaeth(left, up, upLeft)][filter];
    result[x] = row[x] + predicted;
  }
  return result;
}

function predictPaeth(left: number, up: number, upLeft: number): number {
  const [a, b, c] = [Math.abs(up - upLeft), Math.abs(left - upLeft), Math.abs(left + up - 2 * upLeft)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : upLeft;
}

/** Takes the most frequent colours, and for each other one the nearest of them. */
function quantize({ bytes }: Pixels) {
  const counts = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += 3) {
    const colour = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = choosePalette(counts);
  const nearest = new Map([...counts.keys()].map((colour) => [colour, findNearest(colour, palette)]));
  const indices = new Uint8Array(bytes.length / 3);
  for (let at = 0; at < indices.length; at++) {
    const colour = (bytes[at * 3] << 16) | (bytes[at * 3 + 1] << 8) | bytes[at * 3 + 2];
    indices[at] = nearest.get(colour) ?? 0;
  }
  return { palette, indices };
}

/** Chooses colours by how often they are there, but no two that nobody could tell apart. */
function choosePalette(counts: ReadonlyMap<number, number>): readonly number[] {
  const palette: number[] = [];
  for (const distance of [300, 0]) {
    for (const [colour] of [...counts].sort(([, a], [, b]) => b - a)) {
      if (palette.length === COLOURS) return palette;
      const isNew = palette.every((each) => measure(each, colour) > distance);
      if (isNew || (palette.length < 24 && !palette.includes(colour))) palette.push(colour);
    }
  }
  return palette;
}

function findNearest(colour: number, palette: readonly number[]): number {
  let best = 0;
  for (let index = 1; index < palette.length; index++) {
    if (measure(palette[index], colour) < measure(palette[best], colour)) best = index;
  }
  return best;
}

/** The square of the distance of two colours. */
function measure(a: number, b: number): number {
  const [red, green, blue] = [(a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255)];
  return red * red + green * green + blue * blue;
}

function encode({ width, height }: Pixels, palette: readonly number[], indices: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) lines.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(lines, { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    formChunk('IHDR', header),
    formChunk('PLTE', colours),
    formChunk('IDAT', data),
    formChunk('IEND', Buffer.alloc(0)),
  ]);
}

function formChunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(sumUp(content));
  return Buffer.concat([length, content, sum]);
}

/** The cyclic redundancy check of PNG; that of node:zlib is not in all versions of Node.js. */
function sumUp(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
