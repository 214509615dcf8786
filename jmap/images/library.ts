/** Opens images by sharp, which is loaded when the first one comes. */
import type { Metadata, Sharp } from 'sharp'
import { IMAGE_MAX_SECONDS, IMAGE_MAX_SIDE } from '../../server/base/image-limits.ts'
import type { Pixels } from './play-button.ts'

type Library = typeof import('sharp').default

/** Readers of other formats are switched off: of SVG, PDF, TIFF and whatever else the library knows. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}`)

let loading: Promise<Library> | null = null

function load(): Promise<Library> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: READERS })
    return sharp
  })
  return loading
}

/** false: the library has no binaries for this machine. */
export function canOpen(): Promise<boolean> {
  return load().then(
    () => true,
    () => false,
  )
}

export interface OpenOptions {
  /** Frames that are read; -1: all. */
  readonly pages?: number
  /** Of CPU. */
  readonly seconds?: number
}

/** @param maxPixels of the file, by its header, all frames together */
export async function openImage(
  bytes: Uint8Array,
  maxPixels: number,
  { pages = 1, seconds = IMAGE_MAX_SECONDS }: OpenOptions = {},
): Promise<Sharp> {
  const sharp = await load()
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', pages, sequentialRead: true }).timeout({
    seconds,
  })
}

/** By its header; the height is that of one frame. */
export function isTooLong({ width, height, pageHeight = height }: Metadata): boolean {
  return Math.max(width, pageHeight) > IMAGE_MAX_SIDE
}

export async function openPixels({ data, width, height }: Pixels): Promise<Sharp> {
  const sharp = await load()
  return sharp(data, { raw: { width, height, channels: 4 } }).timeout({ seconds: IMAGE_MAX_SECONDS })
}
