@_exported import Plugboard

// What a test of a plugin writes: requests, configurations, and a clock that it moves itself.
@_exported import class CurlTransport.ManualClock
