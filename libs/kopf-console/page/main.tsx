import { render } from 'preact';
import { App } from './layout/app.js';
import { handleShortcuts } from './layout/keyboard.js';
import { answers } from './live/answer.cache.js';
import { stream } from './live/live.stream.js';
import { applyTheme } from './platform/preferences.js';
import { startClock } from './platform/server.clock.js';
import { handleLinks } from './routing/location.js';

applyTheme();
startClock();
handleLinks();
handleShortcuts();
stream.onChange((topics) => answers.invalidate(topics));
stream.start();

const root = document.getElementById('root');
if (root) {
  // The frame in the document was for the first moment.
  root.replaceChildren();
  render(<App />, root);
}
