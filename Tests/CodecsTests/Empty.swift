import Testing
import PlugboardCodecs
