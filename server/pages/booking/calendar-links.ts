/** Links that open a booking in the forms of web calendars. They send nothing until somebody follows them. */
import type { PublicBooking } from '../../../jmap/bookings/booking.ts'

export function calendarLinks({
  start,
  end,
  page,
  meeting,
}: PublicBooking): { readonly name: string; readonly url: string }[] {
  const [from, to] = [start, end].map((at) => new Date(at).toISOString())
  const basic = [from, to].map((text) => text!.replaceAll(/[-:]|\.\d{3}/g, ''))
  const title = page.host === null ? page.name : `${page.name} – ${page.host}`
  const place = meeting !== null && typeof meeting === 'object' ? { location: meeting.url } : {}
  const google = new URLSearchParams({ action: 'TEMPLATE', text: title, dates: basic.join('/'), ...place })
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: title,
    startdt: from!,
    enddt: to!,
    ...place,
  })
  return [
    { name: 'Google Calendar', url: `https://calendar.google.com/calendar/render?${google}` },
    { name: 'Outlook.com', url: `https://outlook.live.com/calendar/0/deeplink/compose?${outlook}` },
  ]
}
