/**
 * Decodes an image of a stranger and encodes its pixels again, so that nothing else of the file is served: no metadata, no trailing data, no
 * other format (promise W4). sharp works in threads of its own.
 */

import type { Sharp } from 'sharp'
import { IMAGE_MAX_SECONDS, IMAGE_MAX_SIDE } from '../../server/base/image-limits.ts'
import { imageTurns } from './image-turns.ts'
import { imageKind } from './kinds.ts'
import { canOpen, isTooLong, openImage } from './library.ts'

export interface EncodedImage {
  readonly bytes: Uint8Array
  readonly type: 'image/webp'
  readonly width: number
  readonly height: number
}

export interface EncodeLimits {
  /** Pixels; a larger image is made smaller, in its proportions. */
  readonly width: number
  readonly height: number
  /** Octets of the result. */
  readonly bytes: number
  /** Pixels of the given image, which is refused by its header if it has more. */
  readonly filePixels: number
}

/** `fault` is the end of a sentence. */
export type Encoded = EncodedImage | { readonly fault: string }

/** Tried in this order until the result is small enough. */
const QUALITIES = [90, 70, 50] as const
const SMALLER = 0.5
const MIN_PIXELS = 32

/** The first frame, turned as the file says. Never rejects. @param owner number of the organization */
export async function reEncode(owner: number, bytes: Uint8Array, limits: EncodeLimits): Promise<Encoded> {
  if (imageKind(bytes) === null) return { fault: 'it is no JPEG, PNG, GIF or WebP image' }
  const encoded = await imageTurns.within(owner, () => encode(bytes, limits))
  return encoded ?? { fault: 'too many images are being read; try again later' }
}

async function encode(bytes: Uint8Array, limits: EncodeLimits): Promise<Encoded> {
  if (!(await canOpen())) return { fault: 'images cannot be read on this machine' }
  return squeeze(bytes, limits).catch(() => ({ fault: 'it is damaged, or too large to be read' }))
}

async function squeeze(bytes: Uint8Array, limits: EncodeLimits): Promise<Encoded> {
  const deadline = performance.now() + IMAGE_MAX_SECONDS * 1_000
  let { width, height } = limits
  if (isTooLong(await (await openImage(bytes, limits.filePixels)).metadata()))
    return { fault: `one of its sides has more than ${IMAGE_MAX_SIDE} pixels` }
  const given = (await openImage(bytes, limits.filePixels)).autoOrient()
  // Later rounds begin with the small result of the first.
  const first = await small(given, width, height).png().toBuffer()
  while (Math.max(width, height) >= MIN_PIXELS) {
    for (const quality of QUALITIES) {
      if (performance.now() > deadline) return { fault: 'it takes too long to be read' }
      const { data, info } = await small(await openImage(first, limits.filePixels), width, height)
        .webp({ quality })
        .toBuffer({ resolveWithObject: true })
      if (data.length <= limits.bytes)
        return { bytes: data, type: 'image/webp', width: info.width, height: info.height }
    }
    width = Math.floor(width * SMALLER)
    height = Math.floor(height * SMALLER)
  }
  return { fault: 'it cannot be made small enough' }
}

function small(image: Sharp, width: number, height: number): Sharp {
  return image.resize({ width, height, fit: 'inside', withoutEnlargement: true })
}
