import { useState } from 'preact/hooks';
import type { ConsoleAction, ConsoleActionRequest, ContainerLog, ObjectIdentity } from '../api/api.types.js';
import { Icon } from '../components/icon.js';
import { JsonView } from '../components/json.view.js';
import { ModalDialog } from '../layout/modal.dialog.js';
import { ACTIONS } from './action.texts.js';
import { useAction, type ActionState } from './use.action.js';

/** Seconds that the dialog proposes for a postponement. */
const POSTPONED = 300;

/** Shows what an action would do, and does it when it is confirmed. */
export function ActionDialog({
  action,
  object,
  handlers,
  operator,
  onClose,
  onDone,
}: {
  readonly action: ConsoleAction;
  readonly object: ObjectIdentity | undefined;
  readonly handlers: readonly string[];
  readonly operator: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { title, explanation, asksHandler, asksSeconds, asksReason, isDangerous, button } = ACTIONS[action];
  const [choices] = useState(handlers);
  const [handler, setHandler] = useState(asksHandler ? handlers[0] : undefined);
  const [seconds, setSeconds] = useState(POSTPONED);
  const [reason, setReason] = useState('');
  const request: ConsoleActionRequest = {
    operator,
    ...(object && { object: identify(object) }),
    ...(handler && { handler }),
    ...(asksSeconds && { seconds }),
    ...(reason && { reason }),
  };
  const { run, ...state } = useAction(action, request, onDone);
  const isOver = state.done !== undefined || action === 'memo' || action === 'logs';
  return (
    <ModalDialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {object && (
          <p class="form-subject mono">
            {object.kind} {object.namespace && `${object.namespace}/`}
            {object.name}
          </p>
        )}
        <p>{explanation}</p>
        {asksHandler && (
          <label class="form-field">
            Handler
            <select class="select" value={handler} onChange={({ currentTarget }) => setHandler(currentTarget.value)}>
              {choices.map((id) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </label>
        )}
        {asksSeconds && (
          <label class="form-field">
            Seconds from now on
            <input
              class="input"
              type="number"
              min={1}
              max={31_536_000}
              value={seconds}
              onInput={({ currentTarget }) => setSeconds(Number(currentTarget.value))}
            />
          </label>
        )}
        {asksReason && (
          <label class="form-field">
            Reason, for others
            <input
              class="input"
              value={reason}
              maxLength={200}
              autoComplete="off"
              onInput={({ currentTarget }) => setReason(currentTarget.value)}
            />
          </label>
        )}
        <ActionOutcome action={action} state={state} />
        <div class="form-end">
          <button type="button" class="button" onClick={onClose}>
            {isOver ? 'Close' : 'Cancel'}
          </button>
          {!isOver && (
            <button
              type="submit"
              class={`button ${isDangerous ? 'button-danger' : 'button-primary'}`}
              disabled={state.isBusy || !state.preview}
            >
              {button}
            </button>
          )}
        </div>
      </form>
    </ModalDialog>
  );
}

/** Only what identifies the object: the rest of a row is nothing for the server. */
function identify({ resource, kind, namespace, name, uid }: ObjectIdentity): ObjectIdentity {
  return { resource, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) };
}

function ActionOutcome({
  action,
  state: { preview, done, problem },
}: {
  readonly action: ConsoleAction;
  readonly state: ActionState;
}) {
  const answer = done ?? preview;
  return (
    <div class="form-outcome" aria-live="polite">
      {problem && (
        <p class="notice tone-bad">
          <Icon name="warning" /> {problem}
        </p>
      )}
      {answer && (
        <p class={`notice tone-${done ? 'good' : 'neutral'}`}>
          <Icon name={done ? 'check' : 'info'} /> {answer.text}
        </p>
      )}
      {answer?.patch !== undefined && (
        <details>
          <summary>{done ? 'The patch that was sent' : 'The patch that would be sent'}</summary>
          <pre class="code" tabIndex={0}>
            {JSON.stringify(answer.patch, null, 2)}
          </pre>
        </details>
      )}
      {action === 'logs' && answer && <ContainerLogs logs={answer.result as readonly ContainerLog[]} />}
      {action !== 'logs' && answer?.result !== undefined && <JsonView value={answer.result} />}
      {!answer && !problem && <p class="soft">Asking what would be done …</p>}
    </div>
  );
}

function ContainerLogs({ logs }: { readonly logs: readonly ContainerLog[] }) {
  return (
    <>
      {logs.map(({ pod, container, text, problem }) => (
        <section key={`${pod}/${container}`} aria-label={`Log of ${pod}, ${container}`}>
          <h3 class="mono">
            {pod} {container}
          </h3>
          {problem !== undefined && <p class="error-text">{problem}</p>}
          {text === '' && <p class="soft">It has written nothing.</p>}
          {text && (
            <pre class="code log-text" tabIndex={0}>
              {text}
            </pre>
          )}
        </section>
      ))}
    </>
  );
}
