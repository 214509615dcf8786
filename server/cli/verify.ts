/** `posthouse verify`: checks the consistency of the data. It only reads and may run beside the server; with --fix it repairs, without one. */

import type { Fault } from '../../storage/check/fault.ts'
import { lockFolder } from '../../storage/folder-lock.ts'
import { systemClock } from '../base/clock.ts'
import { createLogger } from '../base/logger.ts'
import { type Config, readConfig } from '../config/config.ts'
import { gatherSettings } from '../config/env.ts'
import { readSecrets } from '../config/secrets.ts'
import { keyringFaults } from '../startup/keyring.ts'
import type { Command, Invocation } from './command.ts'
import { requireData } from './with-core.ts'

export const verify: Command = {
  name: 'verify',
  summary: 'checks that the stored data is complete and consistent',
  description: 'Exit code 0: no faults; 1: faults, one line each. With --fix: those that are left.',
  options: {
    deep: { help: 'read every blob and compare its hash' },
    fix: { help: 'repair what can be computed again, while no server runs; no message is deleted' },
  },
  async run(invocation) {
    const { terminal, settings, options } = invocation
    const raw = gatherSettings(settings, terminal.environment)
    const config = readConfig(raw)
    requireData(config)
    const logger = createLogger(raw.has('log_level') ? config.logLevel : 'error')
    const { corePlan } = await import('../threads/core-plan.ts')
    const { openPlannedStore } = await import('../threads/planned-store.ts')
    const { createStandardRegistry } = await import('../../jmap/standard-registry.ts')
    const { objectTypes } = await import('../../jmap/type/registry.ts')
    const { emailTextsOf: textsOf } = await import('../../jmap/maintenance/email-texts.ts')
    const { checkStore } = await import('../../storage/check/check-store.ts')
    const { fixStore } = await import('../../storage/check/fix-store.ts')
    const types = objectTypes(createStandardRegistry())
    const plan = corePlan(config, readSecrets(raw))
    const isFixing = options['fix'] === true
    const lock = isFixing ? lockFolder(config.data) : null
    try {
      const store = await openPlannedStore(plan, {
        clock: systemClock,
        logger,
        access: isFixing ? 'write rows' : 'read',
      })
      try {
        const secrets = (await keyringFaults(store, plan)).map((detail) => ({ account: 0, kind: 'secrets', detail }))
        if (isFixing) {
          const { found, left } = await fixStore(store, types, textsOf)
          return report(invocation, config, [...secrets, ...left], found.length - left.length)
        }
        const faults = await checkStore(store, types, { deep: options['deep'] === true, textsOf })
        return report(invocation, config, [...secrets, ...faults], null)
      } finally {
        await store.close()
      }
    } finally {
      lock?.release()
    }
  },
}

/** @param repaired how many faults are there no more; null: nothing was to be repaired. @returns the exit code */
async function report(
  { terminal }: Invocation,
  config: Config,
  faults: readonly Fault[],
  repaired: number | null,
): Promise<number> {
  const { describeFault } = await import('../../storage/check/check-store.ts')
  const sound = faults.length === 0
  if (config.json) {
    terminal.print(`${JSON.stringify({ sound, faults, ...(repaired !== null && { repaired }) })}\n`)
  } else {
    if (repaired) terminal.print(`${repaired} faults repaired.\n`)
    terminal.print(sound ? 'No faults found.\n' : faults.map((fault) => `${describeFault(fault)}\n`).join(''))
  }
  return sound ? 0 : 1
}
