/** Opens images by sharp, which is loaded when the first one comes. */
import type { Sharp } from 'sharp'
import { IMAGE_MAX_SECONDS } from '../../server/base/image-limits.ts'

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

/** @param maxPixels of the file, by its header */
export async function openImage(bytes: Uint8Array, maxPixels: number): Promise<Sharp> {
  const sharp = await load()
  return sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', pages: 1, sequentialRead: true }).timeout({
    seconds: IMAGE_MAX_SECONDS,
  })
}
