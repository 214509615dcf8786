/** PNG images, written from the specification (W3C PNG 3), independent of the library that reads them. */
import { crc32, deflateSync } from 'node:zlib'

type Pixel = readonly [red: number, green: number, blue: number, alpha: number]

export interface PngOptions {
  readonly width: number
  readonly height: number
  /** By default one colour. */
  readonly paint?: (x: number, y: number) => Pixel
  /** A text that is kept with the image. */
  readonly comment?: string
  /** Size that the header claims instead of the real one. */
  readonly claims?: { readonly width: number; readonly height: number }
}

export function png({ width, height, paint = () => [26, 86, 176, 255], comment, claims }: PngOptions): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(claims?.width ?? width, 0)
  header.writeUInt32BE(claims?.height ?? height, 4)
  // 8 bits a channel, red, green, blue and alpha.
  header.set([8, 6, 0, 0, 0], 8)
  const rows = Buffer.alloc(height * (width * 4 + 1))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set(paint(x, y), y * (width * 4 + 1) + 1 + x * 4)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(comment === undefined ? [] : [chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'))]),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(typed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}

/** Pixels that compress badly: a linear congruence with a fixed seed. */
export function noise(): (x: number, y: number) => Pixel {
  let state = 1
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return (state >>> 16) & 255
  }
  return () => [next(), next(), next(), 255]
}
