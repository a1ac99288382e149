import type { InspectedCoordination, InspectedLease, InspectedPeering, InspectionTopic } from '../api/api.types.js';
import { ActionButton } from '../actions/action.button.js';
import { Badge } from '../components/badges.js';
import { Icon } from '../components/icon.js';
import { ObservedNote, useIsObserved } from '../components/observed.note.js';
import { Panel, ScreenHead } from '../components/panel.js';
import { Answered, EmptyState } from '../components/states.js';
import { Cell, TableHead, TableScroll } from '../components/table.scroll.js';
import { Time } from '../components/times.js';
import { useAnswer } from '../live/use.answer.js';

const TOPICS: readonly InspectionTopic[] = ['coordination'];

/** Shows which operator works, and which one pauses for which other: peerings, and the Lease of the leader election. */
export function CoordinationScreen() {
  const answer = useAnswer<InspectedCoordination>('coordination', TOPICS);
  return (
    <div class="screen">
      <ScreenHead title="Coordination" lead="Which replica works, and which one pauses for whom.">
        {/* A pause because of another operator ends with that one: it can only be prolonged. */}
        {answer.data && (
          <ActionButton action={answer.data.isPausedByHand ? 'resume' : 'pause'} refresh={answer.refresh} />
        )}
      </ScreenHead>
      <Answered answer={answer}>{(coordination) => <Coordination coordination={coordination} />}</Answered>
    </div>
  );
}

function Coordination({
  coordination: { mode, identity, paused, lease, peerings },
}: {
  readonly coordination: InspectedCoordination;
}) {
  const isObserved = useIsObserved();
  return (
    <>
      {!isObserved && <Facts mode={mode} identity={identity} paused={paused} />}
      <ObservedNote>The operators are seen by what they write into peerings and Leases.</ObservedNote>
      {paused.map((reason) => (
        <p class="notice tone-notice" key={reason}>
          <Icon name="pause" /> {reason}
        </p>
      ))}
      {lease && <Lease lease={lease} />}
      {peerings.map((peering) => (
        <Peering key={`${peering.namespace}/${peering.name}`} peering={peering} />
      ))}
      {!lease && peerings.length === 0 && (
        <EmptyState
          icon="coordination"
          title={isObserved ? 'No operator coordinates with others' : 'The operator works without coordination'}
          code={`KopfModule.forRoot({ peering: { priority: 100 } })     // operators pause for the one of the highest priority\nKopfModule.forRoot({ coordination: 'lease' })          // one of several replicas works`}
        >
          A single replica needs nothing. Several of them need a Lease or a peering, so that not all of them handle the
          same objects.
        </EmptyState>
      )}
    </>
  );
}

function Facts({ mode, identity, paused }: Pick<InspectedCoordination, 'mode' | 'identity' | 'paused'>) {
  return (
    <dl class="facts facts-line">
      <dt>This operator</dt>
      <dd class="mono">{identity}</dd>
      <dt>Mode</dt>
      <dd>{mode === 'none' ? 'alone' : mode}</dd>
      <dt>State</dt>
      <dd>
        {paused.length > 0 ? (
          <Badge tone="notice" icon="pause" text="Paused" />
        ) : (
          <Badge tone="good" icon="idle" text="Works" />
        )}
      </dd>
    </dl>
  );
}

function Lease({
  lease: { name, namespace, holder, isLeader, renewedAt, transitions },
}: {
  readonly lease: InspectedLease;
}) {
  return (
    <Panel title={`Lease ${namespace}/${name}`} id="lease">
      <dl class="facts">
        <dt>Holder</dt>
        <dd>
          <span class="mono">{holder ?? 'no holder'}</span>{' '}
          {isLeader && <Badge tone="good" icon="idle" text="This operator" />}
        </dd>
        <dt>Renewed</dt>
        <dd>
          <Time at={renewedAt} />
        </dd>
        <dt>Changes of the holder</dt>
        <dd>{transitions ?? '–'}</dd>
      </dl>
    </Panel>
  );
}

function Peering({ peering: { name, namespace, rank, peers } }: { readonly peering: InspectedPeering }) {
  const sorted = [...peers].sort((a, b) => b.priority - a.priority);
  return (
    <Panel
      title={`Peering ${namespace ? `${namespace}/` : ''}${name}`}
      id={`peering-${namespace ?? ''}-${name}`}
      count={rank}
    >
      {peers.length === 0 ? (
        <p class="panel-empty">No operator is in it.</p>
      ) : (
        <TableScroll label={`Operators in the peering ${name}`} cards>
          <TableHead columns={['Operator', '#Priority', 'Last seen', 'Counts as gone', 'Message']} />
          <tbody>
            {sorted.map((peer) => (
              <tr key={peer.identity}>
                <Cell>
                  <span class="mono">{peer.identity}</span>{' '}
                  {peer.self && <Badge tone="active" icon="idle" text="This operator" />}
                </Cell>
                <Cell label="Priority" kind="number">
                  {peer.priority}
                </Cell>
                <Cell label="Last seen">
                  <Time at={peer.lastSeen} />
                </Cell>
                <Cell label="Counts as gone">
                  <Time at={peer.deadline} />
                </Cell>
                <Cell label="Message" kind="cell-line">
                  {peer.message}
                </Cell>
              </tr>
            ))}
          </tbody>
        </TableScroll>
      )}
    </Panel>
  );
}
