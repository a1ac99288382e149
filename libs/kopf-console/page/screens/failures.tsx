import type { FailureGroup, FailureKind, ObjectPhase, OperatorActivity } from '../api/api.types.js';
import { Icon, type IconName } from '../components/icon.js';
import { ObjectLink } from '../components/object.link.js';
import { Panel } from '../components/panel.js';
import { Time } from '../components/times.js';
import { formatCount, formatNumberOf } from '../platform/format.js';
import { hrefOf } from '../routing/location.js';

/** Objects of a group that are listed before the viewer asks for all. */
const LISTED = 20;

/** The headings of the kinds of failures, the one that needs attention most first. */
const KINDS: readonly (readonly [FailureKind, string, IconName])[] = [
  ['failed', 'Failed for good', 'failed'],
  ['stuck', 'Stuck', 'stuck'],
  ['retrying', 'Retrying', 'failing'],
];

/** What fails: permanent failures apart from what is stuck, and from what is retried. */
export function Failures({ now: { failing, totals } }: { readonly now: OperatorActivity }) {
  const retrying = totals.failing - totals.failed - totals.stuck;
  const counts = { failed: totals.failed, stuck: totals.stuck, retrying: Math.max(0, retrying) };
  return (
    <>
      {KINDS.map(([kind, title, icon]) => {
        const groups = failing.filter((group) => group.kind === kind);
        if (groups.length === 0) return null;
        const count = Math.max(1, counts[kind]);
        return <FailureGroups key={kind} kind={kind} title={title} icon={icon} groups={groups} count={count} />;
      })}
    </>
  );
}

/** The failures of one kind, one group for each error, the one of the most objects first. */
function FailureGroups({
  kind,
  title,
  icon,
  groups,
  count,
}: {
  readonly kind: FailureKind;
  readonly title: string;
  readonly icon: IconName;
  readonly groups: readonly FailureGroup[];
  readonly count: number;
}) {
  const tone = kind === 'retrying' ? 'notice' : 'bad';
  return (
    <Panel title={title} id={kind} count={formatCount(count)}>
      <ul class="groups">
        {groups.map((group) => (
          <li key={`${group.handler}/${group.error}`}>
            <details class="group">
              <summary data-row="">
                <Icon name="right" class="group-arrow" />
                <span class="group-error">{group.error}</span>
                <span class="group-facts">
                  <span class={`badge tone-${tone}`}>
                    <Icon name={icon} />
                    {formatNumberOf(group.count, 'object')}
                  </span>
                  {group.handler !== undefined && <span class="mono">{group.handler}</span>}
                  <GroupTimes group={group} />
                </span>
              </summary>
              <ul class="group-objects">
                {group.objects.slice(0, LISTED).map((object) => (
                  <li key={`${object.resource}/${object.namespace}/${object.name}`}>
                    <ObjectLink object={object} />
                  </li>
                ))}
              </ul>
              {group.count > LISTED && (
                <p class="panel-foot">
                  <a href={hrefOf(['objects'], { handler: group.handler, phase: PHASE_OF[kind], sort: '-retries' })}>
                    All objects on which {group.handler ?? 'a handler'} fails
                  </a>
                </p>
              )}
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The phase by which all objects of a kind of failure are listed. */
const PHASE_OF: Readonly<Record<FailureKind, ObjectPhase>> = { failed: 'failed', stuck: 'stuck', retrying: 'failing' };

function GroupTimes({ group: { firstAt, lastAt, count, kind } }: { readonly group: FailureGroup }) {
  if (firstAt === undefined && lastAt === undefined) return null;
  if (kind === 'failed' && count === 1) {
    return (
      <span class="soft">
        failed <Time at={lastAt ?? firstAt} />
      </span>
    );
  }
  return (
    <span class="soft">
      {lastAt !== undefined && (
        <>
          last <Time at={lastAt} />
          {firstAt !== undefined && ', '}
        </>
      )}
      {firstAt !== undefined && (
        <>
          first <Time at={firstAt} />
        </>
      )}
    </span>
  );
}
