/** How a setting is declared (settings.ts). */

export type SettingKind = 'text' | 'flag' | 'port' | 'count' | 'octets'

export interface SettingDeclaration {
  readonly kind: SettingKind
  readonly group: SettingGroup
  /** Placeholder of the value in the help, such as `<port>`. */
  readonly value?: string
  readonly help: string
  /** The default, for the help. */
  readonly default?: string
  /** Never printed or logged. `POSTHOUSE_<NAME>_FILE` may name a file with the value. */
  readonly secret?: true
}

export const SETTING_GROUPS = [
  'General',
  'Listeners',
  'Incoming mail',
  'Outgoing mail',
  'Storage',
  'Limits (0: no limit, where it says so)',
] as const
export type SettingGroup = (typeof SETTING_GROUPS)[number]

const [, LISTENERS, , , , LIMITS] = SETTING_GROUPS

export function text(group: SettingGroup, value: string, help: string, fallback?: string): SettingDeclaration {
  return { kind: 'text', group, value, help, ...(fallback !== undefined && { default: fallback }) }
}

export function flag(group: SettingGroup, help: string): SettingDeclaration {
  return { kind: 'flag', group, help }
}

export function port(help: string, fallback: string): SettingDeclaration {
  return { kind: 'port', group: LISTENERS, value: '<port>', help: `${help}; 0: any free port`, default: fallback }
}

export function octets(help: string, fallback: number): SettingDeclaration {
  return { kind: 'octets', group: LIMITS, value: '<octets>', help: `octets ${help}`, default: String(fallback) }
}

export function count(help: string, fallback: number): SettingDeclaration {
  return { kind: 'count', group: LIMITS, value: '<number>', help, default: String(fallback) }
}
