/** RFC 5232 3: setflag, addflag, removeflag. */
import { SIEVE_VARIABLE_MAX_CHARS } from '../../../server/base/sieve-limits.ts'
import type { Bound } from '../bound.ts'
import type { ActionDefinition } from '../definition.ts'
import { splitFlags, withoutFlags } from '../flags.ts'
import type { Step } from '../run.ts'

/** @param change the new flags, from the present flags and those of the command */
function flagAction(
  name: string,
  change: (flags: readonly string[], given: readonly string[]) => string[],
): ActionDefinition {
  return {
    name,
    requires: ['imap4flags'],
    positional: ['string', 'strings'],
    optional: 1,
    compile: (bound) => compileFlagAction(bound, change),
  }
}

function compileFlagAction(
  bound: Bound,
  change: (flags: readonly string[], given: readonly string[]) => string[],
): Step {
  const lists = bound.textsAt(1)
  const variable = bound.text(0) && variableName(bound, bound.source(0))
  return (run) => {
    const given = splitFlags(lists.read(run))
    if (variable === null) {
      run.flags = change(run.flags, given)
      run.note(bound.line, `Flags are now: ${run.flags.join(' ') || 'none'}.`)
      return
    }
    const flags = change(splitFlags([run.variables.get(variable) ?? '']), given)
    run.setVariable(variable, flags.join(' ').slice(0, SIEVE_VARIABLE_MAX_CHARS), bound.line)
  }
}

/** RFC 5229 4: the name of a variable that a command may set, in lower case. @throws SieveSyntaxError */
export function variableName(bound: Bound, name: string): string {
  bound.require('variables', 'a variable')
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw bound.error(`there cannot be a variable named ${JSON.stringify(name.slice(0, 50))}`)
  return name.toLowerCase()
}

export const flagActions: readonly ActionDefinition[] = [
  flagAction('setflag', (_flags, given) => [...given]),
  flagAction('addflag', (flags, given) => splitFlags([...flags, ...given])),
  flagAction('removeflag', withoutFlags),
]
