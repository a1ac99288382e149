import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleOverview } from '../api/api.types.js';
import { Icon } from '../components/icon.js';
import { formatCount } from '../platform/format.js';
import { hrefOf } from '../routing/location.js';
import { SCREENS, type ScreenEntry } from '../routing/screens.js';

/** The navigation between the screens. */
export function SideNav({
  current,
  overview,
}: {
  readonly current: ScreenEntry | undefined;
  readonly overview: ConsoleOverview | undefined;
}) {
  const list = useRef<HTMLUListElement>(null);
  const hasCounts = overview !== undefined;
  // On narrow screens, the list is a line that scrolls sideways, and longer once it has numbers.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current, hasCounts]);
  return (
    <nav class="side-nav" aria-label="Screens">
      <ul ref={list}>
        {SCREENS.map((screen) => (
          <li key={screen.path}>
            <a
              class="nav-link"
              href={hrefOf(screen.path ? [screen.path] : [])}
              aria-current={screen === current ? 'page' : undefined}
              title={`${screen.question} (g ${screen.key})`}
            >
              <Icon name={screen.icon} />
              <span class="nav-text">{screen.title}</span>
              <NavCount screen={screen} overview={overview} />
            </a>
          </li>
        ))}
      </ul>
      {overview && (
        <p class="nav-foot soft">
          {overview.state === 'observed' ? 'kopf console' : 'nestjs-kopf'} {overview.version}
        </p>
      )}
    </nav>
  );
}

function NavCount({
  screen,
  overview,
}: {
  readonly screen: ScreenEntry;
  readonly overview: ConsoleOverview | undefined;
}) {
  if (!overview) return null;
  const { counts } = overview;
  if (screen.path === '' && counts.failing > 0) {
    return (
      <span class="nav-count tone-notice">
        {formatCount(counts.failing)}
        <span class="sr-only"> failing</span>
      </span>
    );
  }
  if (screen.path === 'objects') return <span class="nav-count">{formatCount(counts.objects)}</span>;
  return null;
}
