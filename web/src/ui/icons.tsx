/** The console's icons: 24-unit line drawings in the colour of the text. All are decoration: the label stands beside. */
const PATHS = {
  hash: 'M9 4 7 20M17 4l-2 16M4 9h16M3.5 15h16',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.500c.8-3.6 3.8-5.5 7.5-5.500s6.7 1.9 7.5 5.5',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20 20l-4-4',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M5.3 18.700l1.4-1.400M17.3 6.700l1.4-1.4',
  moon: 'M20 14.500A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500Z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  back: 'M15 5l-7 7 7 7',
  close: 'M6 6l12 12M18 6 6 18',
  down: 'M6 9l6 6 6-6',
  arrowDown: 'M12 5v14M6 13l6 6 6-6',
  send: 'M12 19V5M5.5 11.5 12 5l6.5 6.5',
  clip: 'M20 11.5 12.2 19.300a5 5 0 0 1-7.1-7.100l8-8a3.4 3.4 0 0 1 4.8 4.800l-8 8a1.7 1.7 0 0 1-2.4-2.400l7.3-7.3',
  at: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM16 8v5.500a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1',
  reply: 'M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6v1',
  smile:
    'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8.5 14.500c.8 1.2 2 1.8 3.5 1.800s2.7-.6 3.5-1.800M9 9.500v.5M15 9.500v.5',
  thread: 'M5 5h14v10H10l-5 4zM9 9h6M9 12h4',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  trash: 'M5 7h14M10 7V4.500h4V7M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  receipt: 'M6 3.500h12v17l-2.4-1.5-1.8 1.5-1.8-1.5-1.8 1.500L8.4 19 6 20.500zM9 8h6M9 11.500h6M9 15h3.5',
  check: 'M5 12.5 10 17 19 7.5',
  stop: 'M7 7h10v10H7z',
  pass: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8 12.300l2.8 2.700L16 9.5',
  block: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM6 6l12 12',
  note: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5M12 8v.5',
  ear: 'M4 12h3l3-7 4 14 3-7h3',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  file: 'M6 3.500h8l4 4v13H6zM14 3.500v4h4',
  bolt: 'M13 3 5 13.500h6L10 21l8-10.500h-6z',
  retry: 'M5 12a7 7 0 1 1 2 4.900M5 18v-4h4',
  wait: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5l3 2',
  tool: 'M14.5 5.500a4.5 4.5 0 0 0-4 6.300L4 18.3 5.7 20l6.5-6.500a4.5 4.5 0 0 0 6.1-5.300l-2.8 2.8-2.5-2.5 2.8-2.800a4.5 4.5 0 0 0-1.3-.2Z',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 14.800a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.600Z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      className="icon"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The mark of Golem: a head of clay that speaks. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false" className="icon">
      <rect width="32" height="32" rx="8" fill="var(--clay)" />
      <path
        d="M10 9.5h12a2.5 2.5 0 0 1 2.5 2.5v9a2.5 2.5 0 0 1-2.5 2.5h-7l-4 3.5v-3.5h-1A2.5 2.5 0 0 1 7.5 21v-9A2.5 2.5 0 0 1 10 9.500z"
        fill="#fff6ef"
      />
      <rect x="11.6" y="14" width="2.8" height="4.6" rx="1.4" fill="#6b2d13" />
      <rect x="17.6" y="14" width="2.8" height="4.6" rx="1.4" fill="#6b2d13" />
      <rect x="14" y="5.5" width="4" height="2.2" rx="1.1" fill="#fff6ef" />
    </svg>
  )
}
