import type { ConsoleOverview } from '../api/api.types.js';
import { Badge, type Tone } from '../components/badges.js';
import { Icon, type IconName } from '../components/icon.js';
import { Since } from '../components/times.js';
import { POLLING, stream, type StreamState } from '../live/live.stream.js';
import { formatNumberOf } from '../platform/format.js';
import { theme, times, type Theme } from '../platform/preferences.js';
import { useStore } from '../platform/store.js';
import { hrefOf, setQuery } from '../routing/location.js';
import { openHelp } from './help.dialog.js';

const STATES: Readonly<Record<ConsoleOverview['state'], readonly [text: string, tone: Tone, icon: IconName]>> = {
  stopped: ['Stopped', 'neutral', 'pause'],
  starting: ['Starting', 'active', 'inWork'],
  running: ['Running', 'good', 'idle'],
  draining: ['Draining', 'notice', 'waiting'],
  stopping: ['Stopping', 'notice', 'waiting'],
  failed: ['Failed', 'bad', 'failed'],
  observed: ['Observed', 'neutral', 'watches'],
};

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICON: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'sun', dark: 'moon' };

/** The bar above every screen: which operator this is, how it is, and how the page looks. */
export function TopBar({ overview }: { readonly overview: ConsoleOverview | undefined }) {
  const chosenTheme = useStore(theme);
  const chosenTimes = useStore(times);
  return (
    <header class="top-bar">
      <a class="brand" href={hrefOf([])} aria-label="Kopf console">
        <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" />
          <path d="M11 8v16M21.5 8 13 16l8.5 8" />
        </svg>
        <span class="brand-name">Kopf console</span>
      </a>
      {overview && <OperatorChoice overview={overview} />}
      {overview && <OperatorState overview={overview} />}
      {overview?.problems && <Health problems={overview.problems} />}
      <div class="top-end">
        {overview?.cluster && (
          <span class="cluster" title="The API server">
            <Icon name="cluster" />
            <span class="cluster-host">{overview.cluster.host}</span>
            {overview.cluster.version && <span class="soft">{overview.cluster.version}</span>}
          </span>
        )}
        <Connection />
        {overview?.user && (
          <span class="viewer" title="You are logged in as">
            <Icon name="user" />
            <span class="sr-only">You are </span>
            {overview.user}
          </span>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label={`Times are ${chosenTimes}: show them ${chosenTimes === 'relative' ? 'absolute' : 'relative'}`}
          title={`Times: ${chosenTimes} (t)`}
          onClick={() => times.set(chosenTimes === 'relative' ? 'absolute' : 'relative')}
        >
          <Icon name="clock" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`Theme: ${chosenTheme}. Change to ${NEXT_THEME[chosenTheme]}`}
          title={`Theme: ${chosenTheme}`}
          onClick={() => theme.set(NEXT_THEME[chosenTheme])}
        >
          <Icon name={THEME_ICON[chosenTheme]} />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={openHelp}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

function OperatorChoice({ overview: { operators, operator } }: { readonly overview: ConsoleOverview }) {
  if (operators.length < 2) return operator ? <span class="operator-name">{operator}</span> : null;
  return (
    <select
      class="select operator-choice"
      aria-label="Operator"
      value={operator}
      onChange={({ currentTarget }) => setQuery({ operator: currentTarget.value })}
    >
      {operators.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function OperatorState({ overview }: { readonly overview: ConsoleOverview }) {
  const [text, tone, icon] = STATES[overview.state] ?? [overview.state, 'neutral', 'info'];
  if (overview.paused.length > 0) {
    return <Badge tone="notice" icon="pause" text="Paused" title={overview.paused.join('\n')} />;
  }
  return (
    <span class="operator-state">
      <Badge tone={tone} icon={icon} text={text} title={overview.failure ?? overview.waitingFor} />
      {overview.since !== undefined && overview.state === 'running' && (
        <span class="soft uptime">
          for <Since at={overview.since} />
        </span>
      )}
    </span>
  );
}

/** Shows whether the operator is healthy, and in a list what is wrong. */
function Health({ problems }: { readonly problems: NonNullable<ConsoleOverview['problems']> }) {
  if (problems.length === 0) return <Badge tone="good" icon="check" text="Healthy" />;
  const isSevere = problems.some((problem) => problem.isSevere);
  return (
    <details class="health">
      <summary>
        <Badge
          tone={isSevere ? 'bad' : 'notice'}
          icon="warning"
          text={isSevere ? 'Unhealthy' : formatNumberOf(problems.length, 'problem')}
        />
      </summary>
      <ul class="health-list">
        {problems.map(({ part, text, isSevere: isBad }) => (
          <li key={`${part}/${text}`} class={isBad ? 'error-text' : undefined}>
            {text}
          </li>
        ))}
      </ul>
    </details>
  );
}

const CONNECTIONS: Readonly<Record<StreamState, readonly [text: string, title?: string]>> = {
  idle: ['Not live'],
  connecting: ['Connecting'],
  open: ['Live'],
  lost: ['Reconnecting'],
  polled: [
    `Every ${POLLING / 1000} s`,
    'A proxy keeps back the stream of events, so that the page asks again and again. It should not buffer api/stream.',
  ],
};

/** Shows whether the page is up to date: by a word, and not only by a colour. */
function Connection() {
  const state = useStore(stream.state);
  const [text, title] = CONNECTIONS[state];
  return (
    <span class={`connection connection-${state}`} role="status" title={title}>
      <span class="connection-dot" />
      {text}
    </span>
  );
}
