/**
 * Time zones of Windows, as Outlook and Exchange name them, and the IANA zone of each. Source: Unicode CLDR,
 * common/supplemental/windowsZones.xml of 2021, territory 001 (Unicode-3.0 licence), three rows as later releases have them, and the names
 * that the IANA database has now.
 */

/** One zone a line: Windows' name, IANA name, offset of standard time, places and names as Windows shows them. */
const ROWS = `
Dateline Standard Time|Etc/GMT+12|-12:00|International Date Line West
UTC-11|Etc/GMT+11|-11:00|Coordinated Universal Time-11
Aleutian Standard Time|America/Adak|-10:00|Aleutian Islands
Hawaiian Standard Time|Pacific/Honolulu|-10:00|Hawaii
Marquesas Standard Time|Pacific/Marquesas|-09:30|Marquesas Islands
Alaskan Standard Time|America/Anchorage|-09:00|Alaska
UTC-09|Etc/GMT+9|-09:00|Coordinated Universal Time-09
Pacific Standard Time (Mexico)|America/Tijuana|-08:00|Baja California
UTC-08|Etc/GMT+8|-08:00|Coordinated Universal Time-08
Pacific Standard Time|America/Los_Angeles|-08:00|Pacific Time (US & Canada)
US Mountain Standard Time|America/Phoenix|-07:00|Arizona
Mountain Standard Time (Mexico)|America/Mazatlan|-07:00|Chihuahua, La Paz, Mazatlan
Mountain Standard Time|America/Denver|-07:00|Mountain Time (US & Canada)
Yukon Standard Time|America/Whitehorse|-07:00|Yukon
Central America Standard Time|America/Guatemala|-06:00|Central America
Central Standard Time|America/Chicago|-06:00|Central Time (US & Canada)
Easter Island Standard Time|Pacific/Easter|-06:00|Easter Island
Central Standard Time (Mexico)|America/Mexico_City|-06:00|Guadalajara, Mexico City, Monterrey
Canada Central Standard Time|America/Regina|-06:00|Saskatchewan
SA Pacific Standard Time|America/Bogota|-05:00|Bogota, Lima, Quito, Rio Branco
Eastern Standard Time (Mexico)|America/Cancun|-05:00|Chetumal
Eastern Standard Time|America/New_York|-05:00|Eastern Time (US & Canada)
Haiti Standard Time|America/Port-au-Prince|-05:00|Haiti
Cuba Standard Time|America/Havana|-05:00|Havana
US Eastern Standard Time|America/Indiana/Indianapolis|-05:00|Indiana (East)
Turks And Caicos Standard Time|America/Grand_Turk|-05:00|Turks and Caicos
Paraguay Standard Time|America/Asuncion|-04:00|Asuncion
Atlantic Standard Time|America/Halifax|-04:00|Atlantic Time (Canada)
Venezuela Standard Time|America/Caracas|-04:00|Caracas
Central Brazilian Standard Time|America/Cuiaba|-04:00|Cuiaba
SA Western Standard Time|America/La_Paz|-04:00|Georgetown, La Paz, Manaus, San Juan
Pacific SA Standard Time|America/Santiago|-04:00|Santiago
Newfoundland Standard Time|America/St_Johns|-03:30|Newfoundland
Tocantins Standard Time|America/Araguaina|-03:00|Araguaina
E. South America Standard Time|America/Sao_Paulo|-03:00|Brasilia
SA Eastern Standard Time|America/Cayenne|-03:00|Cayenne, Fortaleza
Argentina Standard Time|America/Argentina/Buenos_Aires|-03:00|City of Buenos Aires
Greenland Standard Time|America/Nuuk|-03:00|Greenland
Montevideo Standard Time|America/Montevideo|-03:00|Montevideo
Magallanes Standard Time|America/Punta_Arenas|-03:00|Punta Arenas
Saint Pierre Standard Time|America/Miquelon|-03:00|Saint Pierre and Miquelon
Bahia Standard Time|America/Bahia|-03:00|Salvador
UTC-02|Etc/GMT+2|-02:00|Coordinated Universal Time-02
Azores Standard Time|Atlantic/Azores|-01:00|Azores
Cape Verde Standard Time|Atlantic/Cape_Verde|-01:00|Cabo Verde Is.
UTC|Etc/UTC|+00:00|Coordinated Universal Time
GMT Standard Time|Europe/London|+00:00|Dublin, Edinburgh, Lisbon, London
Greenwich Standard Time|Atlantic/Reykjavik|+00:00|Monrovia, Reykjavik
Sao Tome Standard Time|Africa/Sao_Tome|+00:00|Sao Tome
Morocco Standard Time|Africa/Casablanca|+01:00|Casablanca
W. Europe Standard Time|Europe/Berlin|+01:00|Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna
Central Europe Standard Time|Europe/Budapest|+01:00|Belgrade, Bratislava, Budapest, Ljubljana, Prague
Romance Standard Time|Europe/Paris|+01:00|Brussels, Copenhagen, Madrid, Paris
Central European Standard Time|Europe/Warsaw|+01:00|Sarajevo, Skopje, Warsaw, Zagreb
W. Central Africa Standard Time|Africa/Lagos|+01:00|West Central Africa
Jordan Standard Time|Asia/Amman|+02:00|Amman
GTB Standard Time|Europe/Bucharest|+02:00|Athens, Bucharest
Middle East Standard Time|Asia/Beirut|+02:00|Beirut
Egypt Standard Time|Africa/Cairo|+02:00|Cairo
E. Europe Standard Time|Europe/Chisinau|+02:00|Chisinau
Syria Standard Time|Asia/Damascus|+02:00|Damascus
West Bank Standard Time|Asia/Hebron|+02:00|Gaza, Hebron
South Africa Standard Time|Africa/Johannesburg|+02:00|Harare, Pretoria
FLE Standard Time|Europe/Kyiv|+02:00|Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius
Israel Standard Time|Asia/Jerusalem|+02:00|Jerusalem
South Sudan Standard Time|Africa/Juba|+02:00|Juba
Kaliningrad Standard Time|Europe/Kaliningrad|+02:00|Kaliningrad
Sudan Standard Time|Africa/Khartoum|+02:00|Khartoum
Libya Standard Time|Africa/Tripoli|+02:00|Tripoli
Namibia Standard Time|Africa/Windhoek|+02:00|Windhoek
Arabic Standard Time|Asia/Baghdad|+03:00|Baghdad
Turkey Standard Time|Europe/Istanbul|+03:00|Istanbul
Arab Standard Time|Asia/Riyadh|+03:00|Kuwait, Riyadh
Belarus Standard Time|Europe/Minsk|+03:00|Minsk
Russian Standard Time|Europe/Moscow|+03:00|Moscow, St. Petersburg
E. Africa Standard Time|Africa/Nairobi|+03:00|Nairobi
Iran Standard Time|Asia/Tehran|+03:30|Tehran
Arabian Standard Time|Asia/Dubai|+04:00|Abu Dhabi, Muscat
Astrakhan Standard Time|Europe/Astrakhan|+04:00|Astrakhan, Ulyanovsk
Azerbaijan Standard Time|Asia/Baku|+04:00|Baku
Russia Time Zone 3|Europe/Samara|+04:00|Izhevsk, Samara
Mauritius Standard Time|Indian/Mauritius|+04:00|Port Louis
Saratov Standard Time|Europe/Saratov|+04:00|Saratov
Georgian Standard Time|Asia/Tbilisi|+04:00|Tbilisi
Volgograd Standard Time|Europe/Volgograd|+04:00|Volgograd
Caucasus Standard Time|Asia/Yerevan|+04:00|Yerevan
Afghanistan Standard Time|Asia/Kabul|+04:30|Kabul
West Asia Standard Time|Asia/Tashkent|+05:00|Ashgabat, Tashkent
Ekaterinburg Standard Time|Asia/Yekaterinburg|+05:00|Ekaterinburg
Pakistan Standard Time|Asia/Karachi|+05:00|Islamabad, Karachi
Qyzylorda Standard Time|Asia/Qyzylorda|+05:00|Qyzylorda
India Standard Time|Asia/Kolkata|+05:30|Chennai, Kolkata, Mumbai, New Delhi
Sri Lanka Standard Time|Asia/Colombo|+05:30|Sri Jayawardenepura
Nepal Standard Time|Asia/Kathmandu|+05:45|Kathmandu
Central Asia Standard Time|Asia/Bishkek|+06:00|Astana
Bangladesh Standard Time|Asia/Dhaka|+06:00|Dhaka
Omsk Standard Time|Asia/Omsk|+06:00|Omsk
Myanmar Standard Time|Asia/Yangon|+06:30|Yangon (Rangoon)
SE Asia Standard Time|Asia/Bangkok|+07:00|Bangkok, Hanoi, Jakarta
Altai Standard Time|Asia/Barnaul|+07:00|Barnaul, Gorno-Altaysk
W. Mongolia Standard Time|Asia/Hovd|+07:00|Hovd
North Asia Standard Time|Asia/Krasnoyarsk|+07:00|Krasnoyarsk
N. Central Asia Standard Time|Asia/Novosibirsk|+07:00|Novosibirsk
Tomsk Standard Time|Asia/Tomsk|+07:00|Tomsk
China Standard Time|Asia/Shanghai|+08:00|Beijing, Chongqing, Hong Kong, Urumqi
North Asia East Standard Time|Asia/Irkutsk|+08:00|Irkutsk
Singapore Standard Time|Asia/Singapore|+08:00|Kuala Lumpur, Singapore
W. Australia Standard Time|Australia/Perth|+08:00|Perth
Taipei Standard Time|Asia/Taipei|+08:00|Taipei
Ulaanbaatar Standard Time|Asia/Ulaanbaatar|+08:00|Ulaanbaatar
Aus Central W. Standard Time|Australia/Eucla|+08:45|Eucla
Transbaikal Standard Time|Asia/Chita|+09:00|Chita
Tokyo Standard Time|Asia/Tokyo|+09:00|Osaka, Sapporo, Tokyo
North Korea Standard Time|Asia/Pyongyang|+09:00|Pyongyang
Korea Standard Time|Asia/Seoul|+09:00|Seoul
Yakutsk Standard Time|Asia/Yakutsk|+09:00|Yakutsk
Cen. Australia Standard Time|Australia/Adelaide|+09:30|Adelaide
AUS Central Standard Time|Australia/Darwin|+09:30|Darwin
E. Australia Standard Time|Australia/Brisbane|+10:00|Brisbane
AUS Eastern Standard Time|Australia/Sydney|+10:00|Canberra, Melbourne, Sydney
West Pacific Standard Time|Pacific/Port_Moresby|+10:00|Guam, Port Moresby
Tasmania Standard Time|Australia/Hobart|+10:00|Hobart
Vladivostok Standard Time|Asia/Vladivostok|+10:00|Vladivostok
Lord Howe Standard Time|Australia/Lord_Howe|+10:30|Lord Howe Island
Bougainville Standard Time|Pacific/Bougainville|+11:00|Bougainville Island
Russia Time Zone 10|Asia/Srednekolymsk|+11:00|Chokurdakh
Magadan Standard Time|Asia/Magadan|+11:00|Magadan
Norfolk Standard Time|Pacific/Norfolk|+11:00|Norfolk Island
Sakhalin Standard Time|Asia/Sakhalin|+11:00|Sakhalin
Central Pacific Standard Time|Pacific/Guadalcanal|+11:00|Solomon Is., New Caledonia
Russia Time Zone 11|Asia/Kamchatka|+12:00|Anadyr, Petropavlovsk-Kamchatsky
New Zealand Standard Time|Pacific/Auckland|+12:00|Auckland, Wellington
UTC+12|Etc/GMT-12|+12:00|Coordinated Universal Time+12
Fiji Standard Time|Pacific/Fiji|+12:00|Fiji
Chatham Islands Standard Time|Pacific/Chatham|+12:45|Chatham Islands
UTC+13|Etc/GMT-13|+13:00|Coordinated Universal Time+13
Tonga Standard Time|Pacific/Tongatapu|+13:00|Nuku'alofa
Samoa Standard Time|Pacific/Apia|+13:00|Samoa
Line Islands Standard Time|Pacific/Kiritimati|+14:00|Kiritimati Island
`

interface WindowsZone {
  readonly name: string
  readonly iana: string
  readonly offset: string
  readonly words: ReadonlySet<string>
}

const ZONES: readonly WindowsZone[] = ROWS.trim()
  .split('\n')
  .map((row) => {
    const [name = '', iana = '', offset = '', shown = ''] = row.split('|')
    return { name, iana, offset, words: wordsOf(shown) }
  })

const BY_NAME = new Map(ZONES.map(({ name, iana }) => [name.toLowerCase(), iana]))

/** Zones that are tried first when a zone is looked for by its rules, the most used first. */
export const PREFERRED_ZONES: readonly string[] = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Helsinki',
  'Etc/UTC',
  ...ZONES.map(({ iana }) => iana),
]

/** The IANA name of a Windows zone; `Standard` may be `Daylight`, and the end may be missing. */
export function ianaOfWindows(name: string): string | null {
  const lower = name.toLowerCase().replace(/ daylight /, ' standard ')
  return (
    BY_NAME.get(lower) ??
    BY_NAME.get(`${lower} standard time`) ??
    BY_NAME.get(`${lower.replace(/ time$/, '')} standard time`) ??
    null
  )
}

/** The zone of what Windows shows, such as `(UTC+01:00) Amsterdam, Berlin, Bern`: the one with this offset and most of the words. */
export function ianaOfDisplayName(name: string): string | null {
  const [, offset, shown] = /^\(?(?:UTC|GMT)\s*([+-]\d\d:\d\d)?\)?\s*(.*)$/i.exec(name) ?? []
  const words = wordsOf(shown ?? '')
  if (words.size === 0) return null
  let best: { readonly iana: string; readonly share: number } | null = null
  for (const zone of ZONES) {
    if (zone.offset !== (offset ?? '+00:00')) continue
    const common = words.intersection(zone.words).size
    const share = common / words.union(zone.words).size
    if (common > 0 && (best === null || share > best.share)) best = { iana: zone.iana, share }
  }
  return best !== null && best.share >= 0.3 ? best.iana : null
}

function wordsOf(shown: string): ReadonlySet<string> {
  const words = shown.toLowerCase().match(/\p{L}{3,}/gu) ?? []
  return new Set(words.filter((word) => !['time', 'and', 'standard'].includes(word)))
}
