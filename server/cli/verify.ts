/** `posthouse verify`: checks the consistency of the data. It only reads, and may run beside the server. */

import { existsSync } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import { createLogger } from '../base/logger.ts'
import { readConfig } from '../config/config.ts'
import { gatherSettings } from '../config/env.ts'
import { readSecrets } from '../config/secrets.ts'
import { keyringFaults } from '../startup/keyring.ts'
import type { Command } from './command.ts'

export const verify: Command = {
  name: 'verify',
  summary: 'checks that the stored data is complete and consistent',
  description: 'Exit code 0: no faults; 1: faults, one line each.',
  options: { deep: { help: 'read every blob and compare its hash' } },
  async run({ terminal, settings, options }) {
    const raw = gatherSettings(settings, terminal.environment)
    const config = readConfig(raw)
    if (config.database.kind === 'sqlite' && !existsSync(config.database.file))
      throw new Failure('configuration', `there is no data in ${config.data}`)
    const logger = createLogger(raw.has('log_level') ? config.logLevel : 'error')
    const { corePlan } = await import('../threads/core-plan.ts')
    const { openPlannedStore } = await import('../threads/planned-store.ts')
    const { createStandardRegistry } = await import('../../jmap/standard-registry.ts')
    const { objectTypes } = await import('../../jmap/type/registry.ts')
    const { emailTextsOf } = await import('../../jmap/maintenance/email-texts.ts')
    const { checkStore, describeFault } = await import('../../storage/check/check-store.ts')
    const plan = corePlan(config, readSecrets(raw))
    const store = await openPlannedStore(plan, {
      clock: systemClock,
      logger,
      access: 'read',
    })
    try {
      const secrets = (await keyringFaults(store, plan)).map((detail) => ({ account: 0, kind: 'secrets', detail }))
      const types = objectTypes(createStandardRegistry())
      const faults = [
        ...secrets,
        ...(await checkStore(store, types, { deep: options['deep'] === true, textsOf: emailTextsOf })),
      ]
      if (config.json) terminal.print(`${JSON.stringify({ sound: faults.length === 0, faults })}\n`)
      else if (faults.length === 0) terminal.print('No faults found.\n')
      else terminal.print(faults.map((fault) => `${describeFault(fault)}\n`).join(''))
      return faults.length === 0 ? 0 : 1
    } finally {
      await store.close()
    }
  },
}
