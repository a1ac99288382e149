import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleOverview } from '../api/api.types.js';
import { EmptyState, ErrorState } from '../components/states.js';
import { stream } from '../live/live.stream.js';
import { useAnswer } from '../live/use.answer.js';
import { adjustClock } from '../platform/server.clock.js';
import { useStore } from '../platform/store.js';
import { hrefOf, pageLocation } from '../routing/location.js';
import { SCREENS, SHELL_TOPICS } from '../routing/screens.js';
import { CoordinationScreen } from '../screens/coordination.screen.js';
import { HandlersScreen } from '../screens/handlers.screen.js';
import { LogScreen } from '../screens/log.screen.js';
import { MemoryScreen } from '../screens/memory.screen.js';
import { NowScreen } from '../screens/now.screen.js';
import { ObjectScreen } from '../screens/object.screen.js';
import { ObjectsScreen } from '../screens/objects.screen.js';
import { PermissionsScreen } from '../screens/permissions.screen.js';
import { WatchesScreen } from '../screens/watches.screen.js';
import { WebhooksScreen } from '../screens/webhooks.screen.js';
import { ConnectionBanner } from './connection.banner.js';
import { HelpDialog } from './help.dialog.js';
import { OverviewContext } from './overview.context.js';
import { SideNav } from './side.nav.js';
import { TopBar } from './top.bar.js';
import { VersionBanner } from './version.banner.js';

const COMPONENTS: Readonly<Record<string, ComponentType>> = {
  '': NowScreen,
  objects: ObjectsScreen,
  handlers: HandlersScreen,
  log: LogScreen,
  watches: WatchesScreen,
  coordination: CoordinationScreen,
  webhooks: WebhooksScreen,
  memory: MemoryScreen,
  permissions: PermissionsScreen,
};

/** The whole page: bar, navigation, and the screen that the address names. */
export function App() {
  const { path, query } = useStore(pageLocation);
  const overview = useAnswer<ConsoleOverview>('overview', SHELL_TOPICS);
  const main = useRef<HTMLElement>(null);
  const screen = SCREENS.find((each) => each.path === (path[0] ?? ''));
  const place = path.join('/');
  const operator = query.get('operator') ?? undefined;
  const { data, error } = overview;
  useEffect(() => stream.setOperator(operator), [operator]);
  useEffect(() => {
    if (data) adjustClock(data.now);
  }, [data]);
  useEffect(() => {
    const name = path[0] === 'objects' && path.length === 4 ? path[3] : screen?.title;
    document.title = [name, operator ?? 'Kopf console'].filter(Boolean).join(' · ');
  }, [place, operator, path, screen]);
  useFocusOnArrival(place, main);
  return (
    <OverviewContext.Provider value={data}>
      <a class="skip-link" href="#main">
        Skip to the screen
      </a>
      <div class="shell">
        <TopBar overview={data} />
        <SideNav current={screen} overview={data} />
        <main class="main" id="main" ref={main} tabIndex={-1}>
          <ConnectionBanner />
          <VersionBanner version={data?.version} />
          {error && !data && path.length === 0 ? (
            <ErrorState error={error} retry={overview.refresh} />
          ) : (
            <CurrentScreen path={path} />
          )}
        </main>
      </div>
      <HelpDialog />
    </OverviewContext.Provider>
  );
}

/**
 * Moves the focus to the heading of a screen that the user has opened, as the browser does for a loaded page; not when the page itself is
 * loaded.
 */
function useFocusOnArrival(place: string, main: { readonly current: HTMLElement | null }): void {
  const shown = useRef(place);
  useEffect(() => {
    if (shown.current === place) return;
    shown.current = place;
    main.current?.scrollTo(0, 0);
    if (!main.current?.contains(document.activeElement)) main.current?.querySelector<HTMLElement>('h1')?.focus();
  }, [place, main]);
}

function CurrentScreen({ path }: { readonly path: readonly string[] }) {
  const [first = '', resource, namespace, name, ...rest] = path;
  if (first === 'objects' && name !== undefined && rest.length === 0) {
    const key = `${resource}/${namespace}/${name}`;
    return (
      <ObjectScreen key={key} resource={resource} namespace={namespace === '-' ? undefined : namespace} name={name} />
    );
  }
  const Screen = path.length <= 1 && Object.hasOwn(COMPONENTS, first) ? COMPONENTS[first] : undefined;
  if (Screen) return <Screen />;
  return (
    <EmptyState icon="search" title="There is no such screen">
      The address names none. <a href={hrefOf([])}>Go to the first one</a>.
    </EmptyState>
  );
}
