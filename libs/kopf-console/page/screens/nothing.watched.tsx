import type { InspectedHandler, ConsoleOverview } from '../api/api.types.js';
import { EmptyState } from '../components/states.js';
import { useAnswer } from '../live/use.answer.js';

/** Whether an operator works, and yet watches nothing. */
export function watchesNothing(overview: ConsoleOverview | undefined): boolean {
  return overview?.state === 'running' && overview.paused.length === 0 && overview.resources.length === 0;
}

/** Shows why an operator that works watches nothing: it has no handlers for objects, or the cluster does not have their resources. */
export function NothingWatched() {
  const { data } = useAnswer<readonly InspectedHandler[]>('handlers');
  const resources = [...new Set(data?.flatMap(({ selector }) => selector ?? []))].sort();
  if (!data) return null;
  if (resources.length === 0) {
    return (
      <EmptyState
        icon="handlers"
        title="The operator has no handlers for objects"
        code={`@OnCreate('widgets.example.com')\nasync create({ spec, logger }: ChangeContext) { … }`}
      >
        Methods with decorators such as @OnCreate are found in the providers of the application: is the class one of
        them?
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="watches"
      title="The cluster does not have the resources of the handlers"
      code="kubectl apply -f crd.yaml"
    >
      Handlers are for {resources.join(', ')}. Is the custom resource definition there? As soon as it is, its objects
      are watched.
    </EmptyState>
  );
}
