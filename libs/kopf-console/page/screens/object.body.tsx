import type { InspectedObjectDetails } from '../api/api.types.js';
import { CopyButton } from '../components/copy.button.js';
import { JsonView } from '../components/json.view.js';
import { Panel } from '../components/panel.js';
import { EmptyState } from '../components/states.js';

/** The object itself; values of Secrets have been left out by the server. */
export function ObjectBody({ details: { body, object } }: { readonly details: InspectedObjectDetails }) {
  if (body === undefined) {
    return (
      <EmptyState icon="objects" title="The object cannot be read">
        It is gone, or the API server does not let the operator read it.
      </EmptyState>
    );
  }
  return (
    <Panel
      title={`${object.kind} ${object.name}`}
      id="body"
      actions={<CopyButton text={JSON.stringify(body, null, 2)} label="Copy as JSON" />}
    >
      <div class="body-tree">
        <JsonView value={body} open={3} />
      </div>
    </Panel>
  );
}
