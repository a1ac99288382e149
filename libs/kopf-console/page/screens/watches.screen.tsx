import type { InspectionTopic, InspectedWatch } from '../api/api.types.js';
import { Badge, type Tone } from '../components/badges.js';
import type { IconName } from '../components/icon.js';
import { ObservedNote } from '../components/observed.note.js';
import { ScreenHead } from '../components/panel.js';
import { Answered, EmptyState } from '../components/states.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { Duration, Since, Time } from '../components/times.js';
import { useOverview } from '../layout/overview.context.js';
import { useAnswer } from '../live/use.answer.js';
import { formatCount } from '../platform/format.js';
import { hrefOf } from '../routing/location.js';
import { NothingWatched, watchesNothing } from './nothing.watched.js';

const TOPICS: readonly InspectionTopic[] = ['watches'];

/** The watches of the operator: if they are connected, how far they are, and how long events wait. */
export function WatchesScreen() {
  const answer = useAnswer<readonly InspectedWatch[]>('watches', TOPICS);
  const overview = useOverview();
  return (
    <div class="screen">
      <ScreenHead
        title="Watches"
        lead="One watch for each resource and namespace. The lag is the longest wait of the last events for a worker."
      />
      <ObservedNote>The operators run elsewhere: these are the watches of kopf console.</ObservedNote>
      <Answered answer={answer}>
        {(watches) =>
          watches.length === 0 ? (
            watchesNothing(overview) ? (
              <NothingWatched />
            ) : (
              <EmptyState
                icon="watches"
                title="Nothing is watched"
                code={`KopfModule.forRoot({ namespaces: ['team-*'] })`}
              >
                The operator watches the resources of its handlers, in the namespaces of its options, while it runs and
                does not pause.
              </EmptyState>
            )
          ) : (
            <WatchTable watches={watches} />
          )
        }
      </Answered>
    </div>
  );
}

/** The tone and the icon of a state of a watch, by what its name begins with. */
const STATES: readonly (readonly [state: RegExp, tone: Tone, icon: IconName])[] = [
  [/^(watching|streaming|live|connected)/i, 'good', 'idle'],
  [/^(list|start|connect|sync)/i, 'active', 'inWork'],
  [/^(forbidden|fail|error|broken)/i, 'bad', 'failed'],
  [/^(wait|back|retry|paus|missing)/i, 'notice', 'waiting'],
];

function WatchState({ watch: { state, error } }: { readonly watch: InspectedWatch }) {
  const [, tone, icon] = STATES.find(([pattern]) => pattern.test(state)) ?? [undefined, 'neutral', 'info'];
  return <Badge tone={(error && tone === 'good' ? 'notice' : tone) as Tone} icon={icon as IconName} text={state} />;
}

function WatchTable({ watches }: { readonly watches: readonly InspectedWatch[] }) {
  return (
    <TableScroll label="Watches" cards>
      <TableHead
        columns={[
          'Resource',
          'Namespace',
          'State',
          '#For',
          '#Objects',
          '#Backlog',
          '#Lag',
          'Last event',
          '#Restarts',
          '#Bookmarks',
          '#410',
          'Version',
        ]}
      />
      <tbody>
        {watches.map((watch) => (
          <tr key={`${watch.resource}/${watch.namespace}`}>
            <Cell>
              <a href={hrefOf(['objects'], { resource: watch.resource, namespace: watch.namespace })} data-row="">
                {watch.resource}
              </a>
              {watch.error && <p class="error-text">{watch.error}</p>}
            </Cell>
            <Cell label="Namespace">{watch.namespace ?? <span class="soft">all</span>}</Cell>
            <Cell>
              <WatchState watch={watch} />
            </Cell>
            <Cell label="For" kind="number">
              <Since at={watch.since} />
            </Cell>
            <Cell label="Objects" kind="number">
              {formatCount(watch.objects)}
            </Cell>
            <Cell label="Backlog" kind="number">
              {watch.backlog > 0 ? <span class="text-notice">{formatCount(watch.backlog)}</span> : 0}
            </Cell>
            <Cell label="Lag" kind="number">
              <Duration seconds={watch.lag} />
            </Cell>
            <Cell label="Last event">
              <Time at={watch.lastEventAt} />
            </Cell>
            <Cell label="Restarts" kind="number">
              {formatCount(watch.restarts)}
            </Cell>
            <Cell label="Bookmarks" kind="number">
              {formatCount(watch.bookmarks)}
            </Cell>
            <Cell label="410" kind="number">
              {formatCount(watch.gone)}
            </Cell>
            <Cell label="Version" kind="mono">
              {watch.resourceVersion ?? '–'}
            </Cell>
          </tr>
        ))}
      </tbody>
    </TableScroll>
  );
}
