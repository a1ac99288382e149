import type { ComponentChildren } from 'preact';

/** A part of a screen with a heading. */
export function Panel({
  title,
  count,
  children,
  actions,
  id,
}: {
  readonly title: string;
  /** The count beside the heading. */
  readonly count?: string | number;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly id: string;
}) {
  return (
    <section class="panel" aria-labelledby={`${id}-title`} id={id}>
      <header class="panel-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {count !== undefined && <span class="count">{count}</span>}
        {actions && <div class="panel-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** The heading of a screen, with what can be done there. */
export function ScreenHead({
  title,
  lead,
  children,
}: {
  readonly title: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <header class="screen-head">
      <div class="screen-title">
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
      {children && <div class="screen-actions">{children}</div>}
    </header>
  );
}
