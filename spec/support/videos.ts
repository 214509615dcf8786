/** Small videos, written from the specifications (ISO/IEC 14496-12, RFC 8794, RFC 9559): heads that say everything, and tracks of zeros. */

function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8, 0)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

function uint32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4)
  return bytes
}

/** 640 x 360. @param brand `qt  `: QuickTime. @param ms duration; 0: that of a file in fragments */
export function mp4(brand: string, ms = 12_500): Buffer {
  const mvhd = box('mvhd', uint32s(0, 0, 0, 1_000, ms), Buffer.alloc(80))
  const tkhd = box('tkhd', Buffer.alloc(76), uint32s(640 << 16, 360 << 16))
  const sound = box('trak', box('tkhd', Buffer.alloc(84)))
  return Buffer.concat([
    box('ftyp', Buffer.from(brand), uint32s(0)),
    box('free'),
    box('mdat', Buffer.alloc(1_000)),
    box('moov', mvhd, sound, box('trak', tkhd)),
  ])
}

export const MP4 = mp4('isom')

function element(id: number, content: Uint8Array): Buffer {
  const name = Buffer.from(id.toString(16), 'hex')
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length | 0x1000_0000, 0)
  return Buffer.concat([name, size, content])
}

const uint16 = (value: number) => Buffer.from([value >> 8, value & 255])
const float = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** 320 x 180, 2 seconds. */
export const WEBM = Buffer.concat([
  element(0x1a45dfa3, element(0x4282, Buffer.from('webm'))),
  element(
    0x18538067,
    Buffer.concat([
      element(0x1549a966, element(0x4489, float(2_000))),
      element(
        0x1654ae6b,
        element(0xae, element(0xe0, Buffer.concat([element(0xb0, uint16(320)), element(0xba, uint16(180))]))),
      ),
      element(0x1f43b675, Buffer.alloc(500)),
    ]),
  ),
])
