/** What a video is, by its octets. What its sender says of it does not count. */
import { readMp4 } from './mp4.ts'
import type { Octets, VideoOutcome } from './octets.ts'
import { readWebm } from './webm.ts'

/** Whether a file begins like a video. @param head at least its first 12 octets */
export function looksLikeVideo(head: Uint8Array): 'mp4' | 'webm' | null {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 12)).toString('latin1')
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'webm'
  return text.slice(4, 8) === 'ftyp' ? 'mp4' : null
}

export async function videoFacts(octets: Octets): Promise<VideoOutcome> {
  const head = await octets.read(0, Math.min(octets.size, 12))
  const kind = looksLikeVideo(head)
  if (kind === null) return { fault: 'it is no MP4, QuickTime or WebM video' }
  return kind === 'mp4' ? readMp4(octets) : readWebm(octets)
}
