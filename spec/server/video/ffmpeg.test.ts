// Decision D20: frames of videos by ffmpeg, which a program of the test stands for
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { videoThumbnail } from '../../../jmap/images/asset-image.ts'
import { imageKind } from '../../../jmap/images/kinds.ts'
import { openImage } from '../../../jmap/images/library.ts'
import { playButton } from '../../../jmap/images/play-button.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { createVideoFrames } from '../../../server/video/ffmpeg.ts'
import { png } from '../../support/png.ts'
import { MP4 } from '../../support/videos.ts'

const VIDEO = {
  owner: 1,
  size: MP4.length,
  container: 'mov' as const,
  read: async (start: number, end: number) => MP4.subarray(start, end),
}

t.test('the frame is what the program writes; without one, or when it fails, there is none', async (t) => {
  const folder = t.testdir({ 'frame.png': png({ width: 16, height: 9 }) })
  const program = (script: string) => {
    const path = join(folder, 'program')
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o700)
    return createVideoFrames(silentLogger, path)
  }
  process.env['POSTHOUSE_TEST_SECRET'] = 'secret'
  t.teardown(() => delete process.env['POSTHOUSE_TEST_SECRET'])
  const seen = join(folder, 'seen')
  const frame = join(folder, 'frame.png')
  t.same(await program(`[ -z "$POSTHOUSE_TEST_SECRET" ] && cat ${frame}`)(VIDEO), png({ width: 16, height: 9 }))
  t.equal(await program(`echo x > ${seen}; cat ${frame}`)(VIDEO), null, 'it writes no files')
  t.ok(!existsSync(seen) || readFileSync(seen).length === 0)
  t.equal(await program('exit 1')(VIDEO), null)
  t.equal(await program('cat /dev/zero')(VIDEO), null, 'more than a frame has')
  t.equal(await createVideoFrames(silentLogger, join(folder, 'absent'))(VIDEO), null)
})

/** Where createVideoFrames looks. */
const FFMPEG = ['/usr/local/bin', '/usr/bin', '/bin'].map((folder) => join(folder, 'ffmpeg')).find(existsSync)

t.test(
  'ffmpeg itself makes a frame of real videos, not of the black beginning',
  { skip: FFMPEG === undefined && 'ffmpeg is not installed' },
  async (t) => {
    const colour = (name: string) => ['-f', 'lavfi', '-i', `color=${name}:s=320x180:r=30:d=2`]
    for (const [container, codec] of [
      ['mov', ['-c:v', 'mpeg4', '-f', 'mp4']],
      ['webm', ['-c:v', 'libvpx', '-f', 'webm']],
    ] as const) {
      const path = join(t.testdir(), 'video')
      const frameOf = (second: string) => {
        const made = ['-filter_complex', '[0][1]concat=n=2', ...codec, '-y', path]
        execFileSync(FFMPEG!, ['-v', 'error', ...colour('black'), ...colour(second), ...made])
        const video = readFileSync(path)
        const read = async (start: number, end: number) => video.subarray(start, end)
        return createVideoFrames(silentLogger)({ owner: 1, size: video.length, read, container })
      }
      const frame = await frameOf('green')
      t.equal(frame && imageKind(frame), 'png', container)
      const { data, info } = await (await openImage(frame!, 1_000_000)).raw().toBuffer({ resolveWithObject: true })
      t.same([info.width, info.height], [320, 180])
      t.equal(await frameOf('black'), null, 'all of it is dark')
      t.ok(data[1]! > 100 && data[0]! < 30 && data[2]! < 30, `green: ${data.subarray(0, 3).join(' ')}`)
    }
  },
)

t.test('a video without a frame gets a play button on a plain ground, and a frame gets one over it', async (t) => {
  for (const frame of [null, png({ width: 300, height: 400 }), Buffer.from('no image')]) {
    const drawn = await videoThumbnail(1, frame)
    if (!drawn || 'fault' in drawn) throw new Error(drawn?.fault ?? 'busy')
    t.same([imageKind(drawn.bytes), drawn.width, drawn.height], ['jpeg', 1_200, 675])
  }
  const { data, width } = playButton(100)
  const at = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
  t.same([at(0, 0)[3], at(50, 50), at(50, 5).slice(0, 3)], [0, [255, 255, 255, 255], [16, 21, 28]])
})
