import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/api.client.js';
import type { UsedAnswer } from '../live/use.answer.js';
import { Icon, type IconName } from './icon.js';

/** Shows that there is nothing to show, why, and how to get something. */
export function EmptyState({
  icon,
  title,
  children,
  code,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
  /** Code or a command that fills the screen. */
  readonly code?: string;
}) {
  return (
    <div class="empty">
      <Icon name={icon} class="empty-icon" />
      <p class="empty-title">{title}</p>
      {children && <p class="empty-text">{children}</p>}
      {code && (
        <pre class="code" tabIndex={0}>
          <code>{code}</code>
        </pre>
      )}
    </div>
  );
}

/** Shows the error instead of an answer. */
export function ErrorState({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  return (
    <div class="empty error-state" role="alert">
      <Icon name="warning" class="empty-icon" />
      <p class="empty-title">{error.status === 404 ? 'There is no such thing' : 'This could not be loaded'}</p>
      <p class="empty-text">{error.message}</p>
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

/** Lines in the place of what is on its way; they appear only if it takes a while. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="sr-only">Loading …</span>
      {Array.from({ length: lines }, (_, index) => (
        <div class="skeleton-line" key={index} />
      ))}
    </div>
  );
}

/** Shows an answer, or that it is loading, or its error. An answer stays while the next one is loading. */
export function Answered<T>({
  answer,
  children,
}: {
  readonly answer: UsedAnswer<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, refresh } = answer;
  if (data === undefined) return error ? <ErrorState error={error} retry={refresh} /> : <Skeleton />;
  return (
    <>
      {error && error.status !== 0 && (
        <p class="notice tone-bad" role="alert">
          <Icon name="warning" /> {error.message}
        </p>
      )}
      {children(data)}
    </>
  );
}
