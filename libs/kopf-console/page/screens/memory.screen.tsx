import type { InspectedDaemon, InspectedMemory, InspectionTopic } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { hrefOfObject } from '../components/object.link.js';
import { ObservedNote, useIsObserved } from '../components/observed.note.js';
import { Panel, ScreenHead } from '../components/panel.js';
import { Answered, EmptyState } from '../components/states.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { Time } from '../components/times.js';
import { useAnswer } from '../live/use.answer.js';
import { formatBytes, formatCount, formatNumberOf } from '../platform/format.js';

const TOPICS: readonly InspectionTopic[] = ['memory'];

/** Everything that the operator keeps in its process: indices, daemons, timers, and the memories of objects. */
export function MemoryScreen() {
  const answer = useAnswer<InspectedMemory>('memory', TOPICS);
  return (
    <div class="screen">
      <ScreenHead title="Memory" lead="What the operator keeps in its process." />
      <Answered answer={answer}>{(memory) => <Memory memory={memory} />}</Answered>
    </div>
  );
}

function Memory({ memory: { objects, indices, daemons, totals, heap } }: { readonly memory: InspectedMemory }) {
  const isObserved = useIsObserved();
  return (
    <>
      <ObservedNote>
        The operators run in other processes, whose memory is not seen. This is the memory of kopf console.
      </ObservedNote>
      <ul class="tiles">
        <Tile label="Objects remembered" value={formatCount(objects)} />
        {!isObserved && <Tile label="Daemons" value={formatCount(totals.daemons)} />}
        {!isObserved && <Tile label="Timers" value={formatCount(totals.timers)} />}
        <li>
          <div class="tile">
            <span class="tile-label">Heap of the process</span>
            <span class="tile-count">{formatBytes(heap.used)}</span>
            <meter
              class="meter"
              min={0}
              max={heap.limit}
              high={heap.limit * 0.8}
              value={heap.used}
              aria-label="Used part of the heap"
            />
            <span class="soft">of {formatBytes(heap.limit)}</span>
          </div>
        </li>
      </ul>
      {!isObserved && <Kept indices={indices} daemons={daemons} totals={totals} />}
    </>
  );
}

function Kept({ indices, daemons, totals }: Pick<InspectedMemory, 'indices' | 'daemons' | 'totals'>) {
  return (
    <div class="columns columns-wide">
      <div class="column">
        <Panel title="Daemons and timers" id="daemons" count={formatCount(totals.daemons + totals.timers)}>
          <Daemons daemons={daemons} total={totals.daemons + totals.timers} />
        </Panel>
      </div>
      <div class="column">
        <Panel title="Indices" id="indices" count={formatCount(indices.length)}>
          <Indices indices={indices} />
        </Panel>
      </div>
    </div>
  );
}

function Tile({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <li>
      <div class="tile">
        <span class="tile-label">{label}</span>
        <span class="tile-count">{value}</span>
      </div>
    </li>
  );
}

function Indices({ indices }: { readonly indices: InspectedMemory['indices'] }) {
  if (indices.length === 0) {
    return (
      <EmptyState
        icon="memory"
        title="There are no indices"
        code={`@Index('pods')\npodsByNode({ spec, name }: IndexContext) {\n  return { [spec.nodeName]: name };\n}`}
      >
        An index keeps what handlers need to know of other objects.
      </EmptyState>
    );
  }
  return (
    <TableScroll label="Sizes of the indices">
      <TableHead columns={['Index', '#Keys', '#Values']} />
      <tbody>
        {indices.map(({ id, keys, values }) => (
          <tr key={id}>
            <td class="mono">{id}</td>
            <td class="number">{formatCount(keys)}</td>
            <td class="number">{formatCount(values)}</td>
          </tr>
        ))}
      </tbody>
    </TableScroll>
  );
}

function Daemons({ daemons, total }: { readonly daemons: readonly InspectedDaemon[]; readonly total: number }) {
  if (daemons.length === 0) {
    return (
      <EmptyState
        icon="inWork"
        title="No daemon or timer runs"
        code={`@Timer('widgets.example.com', { interval: 60 })\nasync check({ spec, patch }: TimerContext) { … }`}
      >
        A daemon runs as long as its object exists; a timer is called again and again.
      </EmptyState>
    );
  }
  return (
    <>
      <TableScroll label="Running daemons and timers" cards>
        <TableHead columns={['Object', 'Handler', 'Kind', 'State', 'Next call']} />
        <tbody>
          {daemons.map((daemon) => (
            <tr key={`${daemon.resource}/${daemon.namespace}/${daemon.name}/${daemon.handler}`}>
              <Cell>
                <a class="object-link" href={hrefOfObject(daemon)} data-row="">
                  <span class="object-kind">{daemon.resource} </span>
                  {daemon.namespace && <span class="object-namespace">{daemon.namespace}/</span>}
                  <span class="object-name">{daemon.name}</span>
                </a>
              </Cell>
              <Cell kind="mono">{daemon.handler}</Cell>
              <Cell>{daemon.kind}</Cell>
              <Cell>
                <Badge tone={/run/.test(daemon.state) ? 'active' : 'neutral'} text={daemon.state} />
              </Cell>
              <Cell label="Next call">
                <Time at={daemon.nextAt} />
              </Cell>
            </tr>
          ))}
        </tbody>
      </TableScroll>
      {total > daemons.length && (
        <p class="panel-foot soft">{formatNumberOf(total - daemons.length, 'more', 'more')}</p>
      )}
    </>
  );
}
