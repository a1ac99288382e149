/**
 * Runs in the page: filters the event logs by actor and object. Without it, all events are shown. It reads attributes and sets
 * `hidden`, and writes no HTML.
 */
export const REPORT_SCRIPT = `
for (const log of document.querySelectorAll('[data-log]')) {
  const filters = log.querySelector('.filters');
  const [actor, object] = filters.querySelectorAll('select');
  const shown = filters.querySelector('output');
  const rows = [...log.querySelectorAll('tr[data-actor]')];
  const update = () => {
    let count = 0;
    for (const row of rows) {
      const isShown = (!actor.value || row.dataset.actor === actor.value) && (!object.value || row.dataset.object === object.value);
      row.hidden = !isShown;
      if (isShown) count += 1;
    }
    shown.textContent = count + ' of ' + rows.length + ' events';
  };
  actor.addEventListener('change', update);
  object.addEventListener('change', update);
  filters.hidden = false;
  update();
}
`;
