/** The strokes of the icons, on a square of 24 units. */
const STROKES = {
  now: 'M13 3 5 14h6l-1 7 8-11h-6z',
  objects: 'M4 6h16M4 12h16M4 18h16',
  handlers: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 4.5l-3 15',
  watches: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  coordination: 'M12 3v5M12 8l-6 8M12 8l6 8M12 2.5a1.5 1.5 0 1 0 0 3M4 16h4v5H4zM16 16h4v5h-4zM10 3h4v5h-4z',
  webhooks: 'M12 3 4 6v6c0 5 3.4 7.7 8 9 4.6-1.3 8-4 8-9V6z',
  memory: 'M6 6h12v12H6zM9.5 9.5h5v5h-5zM9 2.5V6M15 2.5V6M9 18v3.5M15 18v3.5M2.5 9H6M2.5 15H6M18 9h3.5M18 15h3.5',
  permissions: 'M8 11a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11.6 12.4 21 3M16 8l3 3M19 5l2.5 2.5',
  timeline: 'M4 5h10M8 12h12M5 19h7M4 3v18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  idle: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8 12.3l2.8 2.7L16 9.5',
  inWork: 'M12 3a9 9 0 1 1-8.5 6M12 8v4l3 2',
  waiting: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  failing: 'M20 4v6h-6M19.5 10A8 8 0 1 0 20 14',
  failed: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6M15 9l-6 6',
  deleting: 'M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5',
  stuck: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.5v2',
  warning: 'M12 4 2.5 20h19zM12 10v4.5M12 17.3h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 7.8h.01',
  pause: 'M9 5v14M15 5v14',
  play: 'M7 4.5v15l12-7.5z',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.3 15.3 20.5 20.5',
  close: 'M6 6l12 12M18 6 6 18',
  right: 'M9 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M4.9 4.9l1.8 1.8M17.3 17.3l1.8 1.8M19.1 4.9l-1.8 1.8M6.7 17.3l-1.8 1.8',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M3 5h18v11H3zM9 20h6M12 16v4',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.5a2.5 2.5 0 1 1 3.7 2.2c-.8.5-1.2 1-1.2 1.8M12 16.7h.01',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4.2 4.2 0 0 0-6-6l-1.5 1.5M14 10a4 4 0 0 0-6-.5l-3 3a4.2 4.2 0 0 0 6 6l1.5-1.5',
  skip: 'M5 5v14l9-7zM18 5v14',
  memo: 'M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7',
  upload: 'M12 15V4M7.5 8.5 12 4l4.5 4.5M4 15v5h16v-5',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20.5c1-4 4-5.5 8-5.5s7 1.5 8 5.5',
  cluster: 'M12 2.5 20.5 7v10L12 21.5 3.5 17V7zM12 12l8.5-5M12 12v9.5M12 12 3.5 7',
  fault: 'M13 3 5 14h6l-1 7 8-11h-6zM3 3l18 18',
  plus: 'M12 5v14M5 12h14',
  change: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  minus: 'M5 12h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
} as const;

/** The names of the icons. */
export type IconName = keyof typeof STROKES;

/** Draws an icon beside a word that says the same: programs that read the page aloud leave it out. */
export function Icon({ name, class: extra = '' }: { readonly name: IconName; readonly class?: string }) {
  return (
    <svg class={`icon icon-${name} ${extra}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={STROKES[name]} />
    </svg>
  );
}
