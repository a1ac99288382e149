import type { InspectionTopic } from '../api/api.types.js';
import type { IconName } from '../components/icon.js';

/** One screen of the navigation. */
export interface ScreenEntry {
  /** The first part of its path; empty for the first screen. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  /** The key that leads to it after `g`. */
  readonly key: string;
  /** The question that it answers. */
  readonly question: string;
}

/** All screens, in the order of the navigation. */
export const SCREENS: readonly ScreenEntry[] = [
  { path: '', title: 'Now', icon: 'now', key: 'n', question: 'What is in work, what waits, and what fails?' },
  {
    path: 'objects',
    title: 'Objects',
    icon: 'objects',
    key: 'o',
    question: 'Which objects are there, and how are they?',
  },
  {
    path: 'handlers',
    title: 'Handlers',
    icon: 'handlers',
    key: 'h',
    question: 'Which handlers are there, and how fast are they?',
  },
  { path: 'log', title: 'Event log', icon: 'timeline', key: 'l', question: 'What has happened, in which order?' },
  { path: 'watches', title: 'Watches', icon: 'watches', key: 'w', question: 'Does the operator see its resources?' },
  {
    path: 'coordination',
    title: 'Coordination',
    icon: 'coordination',
    key: 'c',
    question: 'Which replica works, and why does one pause?',
  },
  {
    path: 'webhooks',
    title: 'Webhooks',
    icon: 'webhooks',
    key: 'a',
    question: 'What do admission webhooks allow and reject?',
  },
  {
    path: 'memory',
    title: 'Memory',
    icon: 'memory',
    key: 'm',
    question: 'What does the operator keep: indices, daemons, timers?',
  },
  {
    path: 'permissions',
    title: 'Permissions',
    icon: 'permissions',
    key: 'p',
    question: 'Which permissions are used, granted, or missing?',
  },
];

/** The topics of what every screen shows. */
export const SHELL_TOPICS: readonly InspectionTopic[] = ['overview'];
