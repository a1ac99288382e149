import type { ObjectPhase, InspectedProgress } from '../api/api.types.js';
import { Icon, type IconName } from './icon.js';

/** The colour of a state; each also has an icon and a word. */
export type Tone = 'neutral' | 'good' | 'active' | 'notice' | 'bad' | 'leaving';

/** A state as a word, with an icon and a colour. */
export function Badge({
  tone,
  icon,
  text,
  title,
}: {
  readonly tone: Tone;
  readonly icon?: IconName;
  readonly text: string;
  readonly title?: string;
}) {
  return (
    <span class={`badge tone-${tone}`} title={title}>
      {icon && <Icon name={icon} />}
      {text}
    </span>
  );
}

/** The words for the phases of objects, in the order of their weight. */
export const PHASES: Readonly<
  Record<ObjectPhase, { readonly text: string; readonly tone: Tone; readonly title: string }>
> = {
  failed: { text: 'Failed', tone: 'bad', title: 'A handler has failed for good: it is not called again.' },
  stuck: { text: 'Stuck', tone: 'bad', title: 'Nothing is done, although something is left to do.' },
  failing: { text: 'Retrying', tone: 'notice', title: 'A handler has thrown an error, and is called again.' },
  deleting: { text: 'Deleting', tone: 'leaving', title: 'Is being deleted, and waits for its finalizers.' },
  inWork: { text: 'In work', tone: 'active', title: 'A handler runs.' },
  waiting: { text: 'Waiting', tone: 'active', title: 'A handler is called later.' },
  idle: { text: 'Idle', tone: 'neutral', title: 'There is nothing to do.' },
};

/** The phase of an object. */
export function PhaseBadge({ phase }: { readonly phase: ObjectPhase }) {
  const { text, tone, title } = PHASES[phase] ?? { text: phase, tone: 'neutral', title: '' };
  return <Badge tone={tone} icon={phase in PHASES ? phase : undefined} text={text} title={title} />;
}

const PROGRESS: Readonly<Record<InspectedProgress['state'], readonly [text: string, tone: Tone, icon: IconName]>> = {
  running: ['Running', 'active', 'inWork'],
  succeeded: ['Succeeded', 'good', 'idle'],
  failed: ['Failed', 'bad', 'failed'],
  waiting: ['Waiting', 'notice', 'waiting'],
  due: ['Due', 'notice', 'warning'],
  begun: ['Begun', 'active', 'play'],
};

/** The state of a handler's progress on an object. */
export function ProgressBadge({ state }: { readonly state: InspectedProgress['state'] }) {
  const [text, tone, icon] = PROGRESS[state] ?? [state, 'neutral', 'info'];
  return <Badge tone={tone} icon={icon} text={text} />;
}
