/**
 * Frames of videos by ffmpeg, if the machine has it. The video is of a stranger and ffmpeg reads it with code in C: it runs as a process of
 * its own with limits of CPU, memory and time, reads one file and opens no connection.
 */
import { spawn } from 'node:child_process'
import { access, constants, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { VideoFrame } from '../../jmap/type/host-ports.ts'
import { errorMessage } from '../base/errors.ts'
import { FairTurns } from '../base/fair-turns.ts'
import {
  ASSET_PIECE_BYTES,
  VIDEO_FRAME_CPU_SECONDS,
  VIDEO_FRAME_MAX_BYTES,
  VIDEO_FRAME_MEMORY_KB,
  VIDEO_FRAME_MS,
  VIDEO_FRAMES_WAITING_MAX,
  VIDEO_FRAMES_WAITING_PER_ORGANIZATION_MAX,
} from '../base/image-limits.ts'
import type { Logger } from '../base/logger.ts'

/** @param program by default that of the usual folders */
export function createVideoFrames(logger: Logger, program = 'ffmpeg'): VideoFrame {
  // One at a time: each takes a core.
  const turns = new FairTurns(VIDEO_FRAMES_WAITING_PER_ORGANIZATION_MAX, VIDEO_FRAMES_WAITING_MAX)
  return (video) =>
    turns.within(video.owner, () =>
      makeFrame(program, video).catch((error: unknown) => {
        logger.warn({ error: errorMessage(error) }, 'no frame of a video could be made')
        return null
      }),
    )
}

async function makeFrame(
  program: string,
  { size, read, container }: Parameters<VideoFrame>[0],
): Promise<Uint8Array | null> {
  if (!(await isThere(program))) return null
  const folder = await mkdtemp(join(tmpdir(), 'posthouse-video-'))
  try {
    const path = join(folder, 'video')
    const file = await open(path, 'wx', 0o600)
    try {
      for (let at = 0; at < size; at += ASSET_PIECE_BYTES)
        await file.writeFile(await read(at, Math.min(size, at + ASSET_PIECE_BYTES)))
    } finally {
      await file.close()
    }
    return await run(program, path, container)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** ffmpeg is optional: a machine without it is no fault. */
async function isThere(program: string): Promise<boolean> {
  const places = program.includes('/') ? [program] : ENVIRONMENT.PATH.split(delimiter).map((at) => join(at, program))
  const found = await Promise.all(
    places.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}

/** None of the server's: it may have secrets. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Frames that stand alone, of so many seconds: others cost the decoding of all before them. */
const KEY_FRAMES = ['-skip_frame', 'nokey', '-t', '30']
/** One that is not dark, as many beginnings are (16 of 255 is black), and that is like most of them. */
const BRIGHT = 'signalstats,metadata=mode=select:key=lavfi.signalstats.YAVG:value=32:function=greater'
const FILTER = `scale='min(1200,iw)':-2,${BRIGHT},thumbnail=50`

/** null: all frames are dark. */
async function run(program: string, path: string, container: 'mov' | 'webm'): Promise<Uint8Array | null> {
  const demuxer = container === 'webm' ? 'matroska' : 'mov'
  const from = ['-protocol_whitelist', 'file', ...KEY_FRAMES, '-f', demuxer, '-i', path]
  const to = ['-map', '0:v:0', '-vf', FILTER, '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png', 'pipe:1']
  const options = ['-nostdin', '-hide_banner', '-v', 'error', '-threads', '1', ...from, ...to]
  // Limits of the system for this process alone. It writes no files.
  // POSIX: each call sets one limit.
  const limits = [`-t ${VIDEO_FRAME_CPU_SECONDS}`, `-v ${VIDEO_FRAME_MEMORY_KB}`, '-f 0']
  const limited = `${limits.map((limit) => `ulimit ${limit}`).join(' && ')} && exec "$0" "$@"`
  const child = spawn('/bin/sh', ['-c', limited, program, ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: ENVIRONMENT,
    timeout: VIDEO_FRAME_MS,
    killSignal: 'SIGKILL',
  })
  const chunks: Buffer[] = []
  let received = 0
  child.stdout.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received <= VIDEO_FRAME_MAX_BYTES) chunks.push(chunk)
    else child.kill('SIGKILL')
  })
  // What a killed process has started holds its output open.
  child.on('exit', (_code, signal) => signal !== null && child.stdout.destroy())
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(received > 0 ? Buffer.concat(chunks) : null)
      else reject(new Error(`ffmpeg ended with ${signal ?? code}`))
    })
  })
}
