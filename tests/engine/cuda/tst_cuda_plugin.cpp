// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/cuda_plugin.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace mantissa;

class TestCudaPlugin : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysThatTheFileIsMissing();
    void keepsTheLoadersWords();
    void refusesALibraryThatIsNoPlugin();
    void refusesAnotherVersionAndNamesBoth();
    void keepsTheDriversWordsWithoutADevice();
    void saysThatThereIsNoDeviceWithoutWords();
    void opensAPluginWithDevices();
    void prefersThePathOfTheEnvironment();
    void opensTheBuiltPluginOrSaysWhyNot();

private:
    static bool contains(const CudaPlugin& plugin, const char* text)
    {
        return QString::fromStdString(plugin.message).contains(QString::fromLatin1(text));
    }
};

void TestCudaPlugin::saysThatTheFileIsMissing()
{
    const CudaPlugin plugin = openCudaPlugin("/nowhere/libmantissa_cuda.so");
    QVERIFY(plugin.api == nullptr);
    QVERIFY(!plugin.usable());
    QVERIFY2(contains(plugin, "/nowhere/libmantissa_cuda.so"), plugin.message.c_str());
}

void TestCudaPlugin::keepsTheLoadersWords()
{
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("libmantissa_cuda.so")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is text, not a library");
    file.close();
    const CudaPlugin plugin = openCudaPlugin(file.fileName().toStdString());
    QVERIFY(plugin.api == nullptr);
    QVERIFY2(contains(plugin, "cannot be loaded"), plugin.message.c_str());
    QVERIFY2(contains(plugin, "file too short") || contains(plugin, "invalid ELF header"),
        plugin.message.c_str());
}

void TestCudaPlugin::refusesALibraryThatIsNoPlugin()
{
    const CudaPlugin plugin = openCudaPlugin(FAKE_NOT_A_PLUGIN);
    QVERIFY(plugin.api == nullptr);
    QVERIFY2(contains(plugin, "is not a plug-in of Mantissa"), plugin.message.c_str());
    QVERIFY2(contains(plugin, cuda::kEntryPointName),
        plugin.message.c_str()); // the loader names the symbol
}

void TestCudaPlugin::refusesAnotherVersionAndNamesBoth()
{
    const CudaPlugin plugin = openCudaPlugin(FAKE_OTHER_VERSION);
    QVERIFY(plugin.api == nullptr);
    QVERIFY2(contains(plugin, "interface version 4711"), plugin.message.c_str());
    QVERIFY2(contains(plugin, ("needs " + std::to_string(cuda::kPluginVersion)).c_str()),
        plugin.message.c_str());
}

void TestCudaPlugin::keepsTheDriversWordsWithoutADevice()
{
    const CudaPlugin plugin = openCudaPlugin(FAKE_NO_DRIVER);
    QVERIFY(plugin.api != nullptr);
    QCOMPARE(plugin.deviceCount, 0);
    QVERIFY(!plugin.usable());
    QVERIFY2(contains(plugin, "no driver on this machine"), plugin.message.c_str());
}

void TestCudaPlugin::saysThatThereIsNoDeviceWithoutWords()
{
    const CudaPlugin plugin = openCudaPlugin(FAKE_NO_DEVICE);
    QVERIFY(!plugin.usable());
    QVERIFY2(contains(plugin, "no device"), plugin.message.c_str());
}

void TestCudaPlugin::opensAPluginWithDevices()
{
    const CudaPlugin plugin = openCudaPlugin(FAKE_TWO_DEVICES);
    QVERIFY(plugin.usable());
    QCOMPARE(plugin.deviceCount, 2);
    QVERIFY2(contains(plugin, "CUDA 99.1"), plugin.message.c_str());
    QVERIFY2(contains(plugin, "2 device"), plugin.message.c_str());
}

void TestCudaPlugin::prefersThePathOfTheEnvironment()
{
    qputenv("MANTISSA_CUDA_PLUGIN", "/somewhere/else.so");
    QCOMPARE(cudaPluginPath().string(), std::string("/somewhere/else.so"));
    qunsetenv("MANTISSA_CUDA_PLUGIN");
    QCOMPARE(cudaPluginPath().filename().string(), std::string("libmantissa_cuda.so"));
}

// Whatever the machine has, opening ends in a usable plug-in or in words, never in a crash.
void TestCudaPlugin::opensTheBuiltPluginOrSaysWhyNot()
{
    const CudaPlugin plugin = openCudaPlugin(MANTISSA_BINARY_DIR "/bin/libmantissa_cuda.so");
    QVERIFY(!plugin.message.empty());
    if (plugin.api == nullptr) {
        QVERIFY(!plugin.usable());
        return;
    }
    int driver = 0;
    int runtime = 0;
    QCOMPARE(plugin.api->versions(&driver, &runtime), cuda::kCudaOk);
    QCOMPARE(runtime / 1000, 13);
    QCOMPARE(plugin.usable(), plugin.deviceCount > 0);
    if (!plugin.usable()) {
        QVERIFY(plugin.api->telemetryCreate(0, 4) == nullptr);
        QVERIFY(*plugin.api->lastError() != '\0');
    }
}

MANTISSA_TEST(TestCudaPlugin)
#include "tst_cuda_plugin.moc"
