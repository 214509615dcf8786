/** Certificates are renewed under a running server: the operator's files are looked at now and then, and taken when they have changed. */
import { stat } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import { errorMessage } from '../base/errors.ts'
import { TLS_CHECK_MS } from '../base/limits.ts'
import type { Logger } from '../base/logger.ts'
import { operatorsMaterial, type TlsFiles, type TlsMaterial } from './material.ts'

export class TlsRenewal {
  readonly #files: TlsFiles
  readonly #renew: (material: TlsMaterial) => void
  readonly #clock: Clock
  readonly #logger: Logger
  #seen: string | null = null
  #cancel: () => void = () => {}
  #stopped = false

  constructor(files: TlsFiles, renew: (material: TlsMaterial) => void, clock: Clock, logger: Logger) {
    this.#files = files
    this.#renew = renew
    this.#clock = clock
    this.#logger = logger
  }

  /** Resolves when it knows what the files are like now. */
  async start(): Promise<void> {
    this.#seen = await this.#look()
    this.#wait()
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
  }

  #wait(): void {
    if (!this.#stopped) this.#cancel = this.#clock.after(TLS_CHECK_MS, () => void this.check())
  }

  /** Looks now. Files that do not belong together (yet) are left for the next time. */
  async check(): Promise<void> {
    this.#cancel()
    try {
      const found = await this.#look()
      if (found !== this.#seen) {
        this.#renew(operatorsMaterial(this.#files))
        this.#seen = found
        this.#logger.info({ cert: this.#files.cert }, 'the certificate was renewed')
      }
    } catch (error) {
      this.#logger.error({ error: errorMessage(error) }, 'the certificate could not be renewed')
    }
    this.#wait()
  }

  async #look(): Promise<string> {
    const [cert, key] = await Promise.all([stat(this.#files.cert), stat(this.#files.key)])
    return [cert.mtimeMs, cert.size, key.mtimeMs, key.size].join(' ')
  }
}
