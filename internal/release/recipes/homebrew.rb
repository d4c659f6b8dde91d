# A formula of Homebrew for a tap, from the archives of the release.
class Pumice < Formula
  desc "Vulkan without a GPU, with the same bytes on every machine"
  homepage "https://@MODULE@"
  version "@VERSION@"
  license "Apache-2.0"

@SYSTEMS@

  def install
    prefix.install Dir["*"]
  end

  test do
    system bin/"pumice", "render", "-o", testpath/"teapot.png"
    assert_predicate testpath/"teapot.png", :exist?
  end
end
