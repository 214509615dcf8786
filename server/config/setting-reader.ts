/** Reads raw settings by kind, and collects their faults. A refused value reads as not set. */
import { BlockList, isIP } from 'node:net'
import { CronSchedule } from './cron-schedule.ts'
import type { RawSettings } from './env.ts'
import { optionOf, type SettingName } from './settings.ts'

export class SettingReader {
  readonly faults: string[] = []
  readonly #raw: RawSettings

  constructor(raw: RawSettings) {
    this.#raw = raw
  }

  /** Adds a fault, with the name that the setting was given by. */
  refuse(name: SettingName, reason: string): void {
    this.faults.push(`${this.#raw.get(name)?.from ?? optionOf(name)}: ${reason}`)
  }

  text(name: SettingName): string | null {
    return this.#raw.get(name)?.text ?? null
  }

  flag(name: SettingName): boolean {
    const text = this.text(name)
    if (text === null || text === 'false' || text === '0') return false
    if (text !== 'true' && text !== '1') this.refuse(name, `must be true or false, not "${text}"`)
    return true
  }

  oneOf<const T extends string>(name: SettingName, choices: readonly T[]): T | null {
    return this.#read(
      name,
      `must be one of ${choices.join(', ')}`,
      (text) => choices.find((choice) => choice === text) ?? null,
    )
  }

  port(name: SettingName): number | null {
    return this.#read(name, 'must be a port number from 0 to 65535', portNumber)
  }

  /** A whole number from `least` to `most`. */
  number(name: SettingName, least: number, most = Number.MAX_SAFE_INTEGER): number | null {
    const bound = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`
    return this.#read(name, `must be a whole number, ${bound}`, (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
      return value >= least && value <= most ? value : null
    })
  }

  schedule(name: SettingName): CronSchedule | null {
    const rule = 'must be a schedule as cron writes it (minute, hour, day, month, day of the week), such as 17 3 * * *'
    return this.#read(name, rule, CronSchedule.parse)
  }

  address(name: SettingName): string | null {
    return this.#read(name, 'must be an IP address', (text) => (isIP(text) ? text : null))
  }

  hostName(name: SettingName): string | null {
    // RFC 5321 4.1.2: a domain name in ASCII, for EHLO.
    const pattern = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i
    return this.#read(name, 'must be a host name', (text) => (pattern.test(text) ? text.toLowerCase() : null))
  }

  hostPort(name: SettingName): { host: string; port: number } | null {
    return this.#read(name, 'must be an IP address with a port, such as 127.0.0.1:53 or [::1]:53', (text) => {
      const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text)
      const host = match?.[1] ?? match?.[2] ?? ''
      const port = portNumber(match?.[3] ?? '')
      return isIP(host) && port ? { host, port } : null
    })
  }

  url(name: SettingName): string | null {
    return this.#read(name, 'must be an http:// or https:// address', (text) => (isWebUrl(text) ? text : null))
  }

  /** `https://host:port`, without a path. */
  origin(name: SettingName): string | null {
    return this.#read(name, 'must be an address such as https://mail.example.com, without a path', originOf)
  }

  origins(name: SettingName): '*' | readonly string[] | null {
    return this.#read(name, 'must be * or origins such as https://app.example.com, separated by commas', (text) => {
      if (text === '*') return '*'
      const origins = split(text).map(originOf)
      return origins.length > 0 && origins.every((origin) => origin !== null) ? origins : null
    })
  }

  networks(name: SettingName): readonly string[] {
    const networks = this.#read(
      name,
      'must be IP addresses or networks such as 10.0.0.0/8, separated by commas',
      (text) => (split(text).every(isNetwork) ? split(text) : null),
    )
    return networks ?? []
  }

  /** Domain names in lower case, each optionally with one of `words` after an equals sign: `example.com=none`. */
  domains<const T extends string>(
    name: SettingName,
    words: readonly T[],
  ): readonly { domain: string; word: T | null }[] {
    const form = words.length > 0 ? `, each perhaps with =${words.join(' or =')}` : ''
    const domains = this.#read(name, `must be domain names separated by commas${form}`, (text) => {
      const items = split(text).map((item) => {
        const [domain = '', given, ...more] = item.toLowerCase().split('=')
        const word = words.find((each) => each === given) ?? null
        return DOMAIN.test(domain) && more.length === 0 && (given === undefined || word !== null)
          ? { domain, word }
          : null
      })
      return items.every((item) => item !== null) ? items : null
    })
    return domains ?? []
  }

  #read<T>(name: SettingName, rule: string, parse: (text: string) => T | null): T | null {
    const text = this.text(name)
    if (text === null) return null
    const value = parse(text)
    if (value === null) this.refuse(name, `${rule}, not "${text}"`)
    return value
  }
}

const DOMAIN = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*$/

function portNumber(text: string): number | null {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 65_536
  return value <= 65_535 ? value : null
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

function originOf(text: string): string | null {
  if (!isWebUrl(text)) return null
  const { origin, href } = new URL(text)
  return href === `${origin}/` ? origin : null
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function isNetwork(text: string): boolean {
  try {
    addNetwork(new BlockList(), text)
    return true
  } catch {
    return false
  }
}

/** Adds an address or a CIDR network to a list. @throws for anything else */
export function addNetwork(list: BlockList, text: string): void {
  const [address = '', prefix] = text.split('/')
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (prefix === undefined) list.addAddress(address, family)
  else list.addSubnet(address, /^\d+$/.test(prefix) ? Number(prefix) : Number.NaN, family)
}
