// The examples are tests themselves.
import './testing.example.js';
