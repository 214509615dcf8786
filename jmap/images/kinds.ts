/** What an image is, by its first octets. What a server or a client says of it does not count. Pure. */

export const IMAGE_KINDS = ['jpeg', 'png', 'gif', 'webp'] as const
export type ImageKind = (typeof IMAGE_KINDS)[number]

/** null: another kind, or no image. SVG is a document with links and scripts, and is none of these. */
export function imageKind(bytes: Uint8Array): ImageKind | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif'
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' ? 'webp' : null
}
