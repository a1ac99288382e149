import type { InspectedRelative, ObjectIdentity } from '../api/api.types.js';
import { Badge } from '../components/badges.js';
import { ObjectLink, ObjectName } from '../components/object.link.js';
import { useOverview } from '../layout/overview.context.js';

/** The groups of relatives in the order of the diagram: what leads to the object is above it, what it leads to below. */
const ABOVE: readonly (readonly [InspectedRelative['relation'], string])[] = [
  ['owner', 'Owners'],
  ['referrer', 'Referred to by'],
];
const BELOW: readonly (readonly [InspectedRelative['relation'], string])[] = [
  ['child', 'Children'],
  ['reference', 'Refers to'],
];

/** A diagram of the objects that belong to an object: owners above, children below; references have dashed lines. */
export function Relatives({
  object,
  relatives,
}: {
  readonly object: ObjectIdentity;
  readonly relatives: readonly InspectedRelative[];
}) {
  if (relatives.length === 0) {
    return (
      <p class="panel-empty">
        No owners, children, or references. <code>adopt()</code> makes an object a child of the one that is handled.
      </p>
    );
  }
  return (
    <div class="diagram">
      {ABOVE.map(([relation, title]) => (
        <Group key={relation} relation={relation} title={title} relatives={relatives} />
      ))}
      <p class="diagram-self">
        <ObjectName object={object} />
      </p>
      {BELOW.map(([relation, title]) => (
        <Group key={relation} relation={relation} title={title} relatives={relatives} />
      ))}
    </div>
  );
}

function Group({
  relation,
  title,
  relatives,
}: {
  readonly relation: InspectedRelative['relation'];
  readonly title: string;
  readonly relatives: readonly InspectedRelative[];
}) {
  const overview = useOverview();
  // Objects that are not watched have no screen.
  const shown = new Set(overview?.resources.map(({ resource }) => resource));
  const own = relatives.filter((each) => each.relation === relation);
  if (own.length === 0) return null;
  return (
    <section class={`diagram-group diagram-${relation}`} aria-label={title}>
      <h3 class="diagram-title">{title}</h3>
      <ul class="diagram-nodes">
        {own.map((each) => (
          <li class="diagram-node" key={each.uid ?? `${each.resource}/${each.namespace}/${each.name}`}>
            {shown.has(each.resource) && !each.missing ? <ObjectLink object={each} /> : <ObjectName object={each} />}
            {each.missing && <Badge tone="bad" icon="warning" text="Does not exist" />}
            {each.ready !== undefined && (
              <Badge
                tone={each.ready ? 'good' : 'notice'}
                icon={each.ready ? 'idle' : 'waiting'}
                text={each.ready ? 'Ready' : 'Not ready'}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
