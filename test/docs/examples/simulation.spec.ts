// The examples are tests themselves.
import './simulation.example.js';
