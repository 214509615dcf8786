/**
 * What is used of sharp, which is loaded when the first image comes. Its types are not imported: a tree of packages without its binaries (other
 * systems, older installations) still checks.
 */
import { IMAGE_MAX_SECONDS } from '../../server/base/image-limits.ts'

export interface Pipeline {
  autoOrient(): Pipeline
  resize(size: {
    readonly width: number
    readonly height: number
    readonly fit: 'inside'
    readonly withoutEnlargement: true
  }): Pipeline
  timeout(limit: { readonly seconds: number }): Pipeline
  png(): Pipeline
  webp(options: { readonly quality: number }): Pipeline
  toBuffer(): Promise<Buffer>
  toBuffer(options: { readonly resolveWithObject: true }): Promise<{
    readonly data: Buffer
    readonly info: { readonly width: number; readonly height: number }
  }>
}

interface Sharp {
  (bytes: Uint8Array, options?: object): Pipeline
  cache(on: false): unknown
  concurrency(threads: number): unknown
  block(what: { readonly operation: readonly string[] }): void
  unblock(what: { readonly operation: readonly string[] }): void
}

const NAME = 'sharp'
/** Readers of other formats are switched off: of SVG, PDF, TIFF and whatever else the library knows. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((name) => `VipsForeignLoad${name}`)

let loading: Promise<Sharp> | null = null

function load(): Promise<Sharp> {
  loading ??= import(NAME).then(({ default: sharp }: { readonly default: Sharp }) => {
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
export async function openImage(bytes: Uint8Array, maxPixels: number): Promise<Pipeline> {
  const sharp = await load()
  const options = { limitInputPixels: maxPixels, failOn: 'error', pages: 1, sequentialRead: true }
  return sharp(bytes, options).timeout({ seconds: IMAGE_MAX_SECONDS })
}
