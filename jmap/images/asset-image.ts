/**
 * Images for newsletters, decoded and encoded again (promise W4): no metadata, no trailing data. Mail clients read JPEG, PNG and GIF;
 * Outlook for Windows reads no WebP, so WebP becomes one of them.
 */
import type { Sharp } from 'sharp'
import {
  ASSET_IMAGE_MAX_PIXELS,
  ASSET_IMAGE_SECONDS,
  ASSET_THUMBNAIL_HEIGHT,
  ASSET_THUMBNAIL_WIDTH,
  IMAGE_MAX_SIDE,
  VIDEO_THUMBNAIL_WIDTH,
} from '../../server/base/image-limits.ts'
import { imageTurns } from './image-turns.ts'
import { type ImageKind, imageKind } from './kinds.ts'
import { canOpen, isTooLong, openImage, openPixels } from './library.ts'
import { playButton } from './play-button.ts'

export interface AssetImage {
  readonly bytes: Uint8Array
  readonly type: 'image/jpeg' | 'image/png' | 'image/gif'
  readonly width: number
  readonly height: number
}

/** `fault` is the end of a sentence. */
export type AssetImages = { readonly image: AssetImage; readonly thumbnail: AssetImage } | { readonly fault: string }

const DAMAGED = { fault: 'it is damaged, or too large to be read' }
const TOO_LONG = { fault: `one of its sides has more than ${IMAGE_MAX_SIDE} pixels` }
const QUALITY = 85
/** Level 6 of zlib: higher ones take several times as long for a few percent. */
const PNG = { compressionLevel: 6 }

/**
 * All frames of an animation.
 * @param owner number of the organization @param read the file, which is not in memory while it waits
 * @returns null: too many images are waiting
 * @throws what `read` throws
 */
export function encodeAssetImage(owner: number, read: () => Promise<Uint8Array>): Promise<AssetImages | null> {
  return imageTurns.within(owner, async () => {
    const bytes = await read()
    const kind = imageKind(bytes)
    if (kind === null) return { fault: 'it is no JPEG, PNG, GIF or WebP image' }
    return encode(bytes, kind).catch(() => DAMAGED)
  })
}

async function encode(bytes: Uint8Array, kind: ImageKind): Promise<AssetImages> {
  if (!(await canOpen())) return { fault: 'images cannot be read on this machine' }
  const open = (pages: number) => openImage(bytes, ASSET_IMAGE_MAX_PIXELS, { pages, seconds: ASSET_IMAGE_SECONDS })
  const metadata = await (await open(1)).metadata()
  if (isTooLong(metadata)) return TOO_LONG
  const { pages = 1, hasAlpha } = metadata
  const isAnimated = pages > 1 && (kind === 'gif' || kind === 'webp')
  const still = hasAlpha ? 'png' : 'jpeg'
  const wanted = isAnimated || kind === 'gif' ? 'gif' : kind === 'webp' ? still : kind
  const image = await save((await open(isAnimated ? -1 : 1)).autoOrient(), wanted)
  const small = (await open(1)).autoOrient().resize(inside(ASSET_THUMBNAIL_WIDTH, ASSET_THUMBNAIL_HEIGHT))
  return { image, thumbnail: await save(small, still) }
}

function inside(width: number, height: number) {
  return { width, height, fit: 'inside', withoutEnlargement: true } as const
}

async function save(image: Sharp, kind: 'jpeg' | 'png' | 'gif'): Promise<AssetImage> {
  const saving = kind === 'jpeg' ? image.jpeg({ quality: QUALITY }) : kind === 'png' ? image.png(PNG) : image.gif()
  const { data, info } = await saving.toBuffer({ resolveWithObject: true })
  // The height of an animation is that of all frames together.
  return { bytes: data, type: `image/${kind}`, width: info.width, height: info.pageHeight ?? info.height }
}

/**
 * The picture that stands for a video: a frame of it, or a plain ground, with a play button.
 * @param owner number of the organization @param frame an image of any size; null: there is none
 * @returns null: too many images are waiting
 */
export function videoThumbnail(
  owner: number,
  frame: Uint8Array | null,
): Promise<AssetImage | { readonly fault: string } | null> {
  return imageTurns.within(owner, async () => {
    if (!(await canOpen())) return { fault: 'images cannot be read on this machine' }
    return (frame && (await drawOn(frame).catch(() => null))) ?? drawOn(null).catch(() => DAMAGED)
  })
}

const GROUND = { r: 62, g: 76, b: 89 }
const BUTTON_SHARE = 0.3

async function drawOn(frame: Uint8Array | null): Promise<AssetImage> {
  const height = Math.round((VIDEO_THUMBNAIL_WIDTH * 9) / 16)
  const ground = frame
    ? (await openImage(frame, ASSET_IMAGE_MAX_PIXELS)).resize({
        width: VIDEO_THUMBNAIL_WIDTH,
        height,
        fit: 'contain',
        background: GROUND,
      })
    : (await openPixels(plain(VIDEO_THUMBNAIL_WIDTH, height))).flatten({ background: GROUND })
  const { data, width, height: side } = playButton(Math.round(height * BUTTON_SHARE))
  const button = { input: data, raw: { width, height: side, channels: 4 as const } }
  return save(ground.composite([button]), 'jpeg')
}

function plain(width: number, height: number) {
  return { data: Buffer.alloc(width * height * 4), width, height }
}
